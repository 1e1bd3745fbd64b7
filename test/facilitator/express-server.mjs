// A stock server as its users write it, in a process of its own: sells through a facilitator.
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { UptoEvmScheme } from '@x402/evm/upto/server'
import { paymentMiddleware, setSettlementOverrides } from '@x402/express'
import express from 'express'

const [url, routes, charges] = process.argv.slice(2)
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url }))
  .register('eip155:*', new ExactEvmScheme())
  .register('eip155:*', new UptoEvmScheme())
const app = express()
app.use(paymentMiddleware(JSON.parse(routes), server))
for (const path of ['/exact', '/permit2'])
  app.get(path, (_, response) => {
    response.json({ sold: true })
  })
for (const [path, amount] of Object.entries(JSON.parse(charges)))
  app.get(path, (_, response) => {
    setSettlementOverrides(response, { amount })
    response.json({ sold: true })
  })
const listening = app.listen(0, '127.0.0.1', () => process.send?.(listening.address().port))
process.once('disconnect', () => process.exit())
