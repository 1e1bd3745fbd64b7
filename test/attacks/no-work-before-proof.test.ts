import assert from 'node:assert/strict'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import type { PaymentRequired } from '../../src/catalogue/challenge/payment-required.ts'
import type { Endpoint } from '../../src/catalogue/endpoint.ts'
import { loadEndpoints } from '../../src/catalogue/load.ts'
import { toRequests } from '../catalogue/example-requests.ts'
import { codeOf, inWorld } from '../payments/gate-world.ts'
import { newPayer, signPayment } from '../payments/sign-payment.ts'

const SERVICES = ['utility', 'social', 'inference']
const catalogue = (
  await Promise.all(SERVICES.map((name) => loadEndpoints(new URL(`../../src/${name}/`, import.meta.url))))
).flat()
const paid = catalogue.filter(({ pricing }) => pricing.kind !== 'free')
/** The routes as sold, without what the tests of their services set up. */
const bare = paid.map(
  ({ availability: _a, check: _c, checkGiven: _g, dialect: _d, ...endpoint }): Endpoint => endpoint,
)
const writes = bare.filter(({ method }) => method !== 'GET')

const FORGED: readonly [string, (payload: object) => object][] = [
  ['of no key', (payload) => withSignature(payload, `0x${'11'.repeat(65)}`)],
  ['of a contract that is not there', (payload) => withSignature(payload, `0x${'11'.repeat(200)}`)],
]

for (const [kind, forge] of FORGED) {
  inWorld(
    `on every route, if a payment has a signature ${kind}, not a byte of the body is read`,
    async (world) => {
      const { fetch, link, desk } = await world.startProcess({}, 100_000, bare)
      let tried = 0
      for (const endpoint of bare) {
        for (const { method, path } of toRequests(endpoint, bare)) {
          if (method === 'GET') continue
          const challenge = await fetch(path, { method })
          const terms = challenge.headers.get('payment-required')
          assert.ok(terms, `${method} ${path}`)
          const required = decodePaymentRequiredHeader(terms) as unknown as PaymentRequired
          const payment = await signPayment(newPayer(), required, { tamper: forge as never })
          const contentType =
            endpoint.accepts === 'multipart' ? 'multipart/form-data; boundary=b' : 'application/json'
          let isRead = false
          const body = new ReadableStream<Uint8Array>(
            {
              pull(controller) {
                isRead = true
                controller.close()
              },
            },
            { highWaterMark: 0 },
          )
          const headers = { 'payment-signature': payment, 'content-type': contentType }
          const response = await fetch(path, { method, headers, body, duplex: 'half' } as RequestInit)
          assert.equal(await codeOf(response), 'payment_invalid', `${method} ${path}`)
          assert.equal(isRead, false, `${method} ${path} read its body`)
          tried += 1
        }
      }
      assert.ok(writes.length > 0 && tried >= writes.length, `${tried} routes`)
      assert.deepEqual([link.verifications, desk.runs], [0, 0])
    },
  )
}

function withSignature(payload: object, signature: string): object {
  const { payload: signed } = payload as { payload: object }
  return { ...payload, payload: { ...signed, signature } }
}
