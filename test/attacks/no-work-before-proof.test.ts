import assert from 'node:assert/strict'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { loadEndpoints } from '@tollbook/endpoints/load'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { toRequests } from '@tollbook/testing/catalogue/example-requests'
import { codeOf, inWorld } from '@tollbook/testing/payments/gate-world'
import { newPayer, signPayment } from '@tollbook/testing/payments/sign-payment'
import { decodePaymentRequiredHeader } from '@x402/core/http'

const SERVICES = ['utility', 'social', 'inference']
const catalogue = (
  await Promise.all(
    SERVICES.map((name) => loadEndpoints(new URL(`../../apps/${name}/src/`, import.meta.url))),
  )
).flat()
const paid = catalogue.filter(({ pricing }) => pricing.kind !== 'free')
/** The routes as sold, without what the tests of their services set up. */
const bare = paid.map(({ availability: _a, check: _c, dialect: _d, ...endpoint }): Endpoint => endpoint)
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
      const forms = new Set<string>()
      for (const endpoint of bare) {
        const requests = toRequests(endpoint, bare).filter(({ method }) => method !== 'GET')
        const types = typesOf(endpoint)
        for (const [{ method, path }, contentType] of requests.flatMap((one) =>
          types.map((type) => [one, type] as const),
        )) {
          const challenge = await fetch(path, { method })
          const terms = challenge.headers.get('payment-required')
          assert.ok(terms, `${method} ${path}`)
          const required = decodePaymentRequiredHeader(terms) as unknown as PaymentRequired
          const payment = await signPayment(newPayer(), required, { tamper: forge as never })
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
          assert.equal(await codeOf(response), 'payment_invalid', `${method} ${path} ${contentType}`)
          assert.equal(isRead, false, `${method} ${path} read its body`)
          tried += 1
          if (contentType.startsWith('multipart/')) forms.add(endpoint.id)
        }
      }
      assert.ok(writes.length > 0 && tried >= writes.length, `${tried} routes`)
      for (const id of ['scrape', 'summarize', 'translate-text', 'audio.transcriptions'])
        assert.ok(forms.has(id), `${id} accepts a form`)
      assert.deepEqual([link.verifications, desk.runs], [0, 0])
    },
  )
}

/** The types of the bodies that an endpoint accepts. */
function typesOf({ accepts = 'json' }: Endpoint): readonly string[] {
  const [json, form] = ['application/json', 'multipart/form-data; boundary=b']
  return { json: [json], multipart: [form], either: [json, form] }[accepts]
}

function withSignature(payload: object, signature: string): object {
  const { payload: signed } = payload as { payload: object }
  return { ...payload, payload: { ...signed, signature } }
}
