// A stock server as its users write it, in a process of its own: sells through a facilitator.
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { UptoEvmScheme } from '@x402/evm/upto/server'
import { paymentMiddleware, setSettlementOverrides } from '@x402/express'
import express from 'express'

const [url, routes] = process.argv.slice(2)
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url }))
  .register('eip155:*', new ExactEvmScheme())
  .register('eip155:*', new UptoEvmScheme())
const app = express()
app.use(paymentMiddleware(JSON.parse(routes), server))
app.get('/exact', (_, response) => {
  response.json({ sold: true })
})
app.get('/upto', (_, response) => {
  setSettlementOverrides(response, { amount: '2100' })
  response.json({ sold: true })
})
const listening = app.listen(0, '127.0.0.1', () => process.send?.(listening.address().port))
process.once('disconnect', () => process.exit())
