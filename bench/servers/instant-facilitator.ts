import { serve } from '@hono/node-server'
import { devFacilitatorAddress } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { Hono } from 'hono'
import { type Served, serveMeasured } from './measured.ts'

await serveMeasured(serveInstantly)

/** A facilitator that accepts every payment unchecked, and says at once that it is settled (x402 v2, section 7). */
function serveInstantly(): Promise<Served> {
  const app = new Hono()
  app.get('/supported', (context) =>
    context.json({
      kinds: [{ x402Version: 2, scheme: 'exact', network: BASE.id }],
      extensions: [],
      signers: { 'eip155:*': [devFacilitatorAddress] },
    }),
  )
  app.post('/verify', (context) => context.json({ isValid: true }))
  app.post('/settle', async (context) => {
    const { paymentPayload } = await context.req.json()
    const { nonce, from } = paymentPayload.payload.authorization
    // As long and as unique as a hash.
    return context.json({ success: true, transaction: nonce, network: BASE.id, payer: from })
  })
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
      const close = () => new Promise<void>((done) => server.close(() => done()))
      resolve({ url: `http://127.0.0.1:${port}`, close })
    })
  })
}
