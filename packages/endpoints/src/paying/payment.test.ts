import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEV_CLIENT_ADDRESSES } from '@tollbook/chain/dev-accounts'
import { toWord } from '@tollbook/chain/words'
import { exactTerms, uptoTerms } from '@tollbook/testing/payments/offered-payment'
import { fc } from '@tollbook/testing/property'
import { encodePaymentRequiredHeader } from '@x402/core/http'

const [PAYER] = DEV_CLIENT_ADDRESSES
const info = { description: 'gas is paid', version: '1' }

// What the script of the page uses of a browser.
const stored = new Map<string, string>()
Object.assign(globalThis, { location: { href: 'http://127.0.0.1/try/a' } })
Object.defineProperty(globalThis, 'sessionStorage', {
  value: {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  },
})
const { signPayment } = await import(new URL('browser/payment.js', import.meta.url).href)

test('whatever extensions a 402 has, a wallet is asked for one signature, of a transfer of the price', async () => {
  const someExtensions = fc.dictionary(
    fc.constantFrom(
      'eip2612GasSponsoring',
      'erc20ApprovalGasSponsoring',
      'sign-in-with-x',
      'payment-identifier',
    ),
    fc.constant({ info, schema: {} }),
  )
  const property = fc.asyncProperty(someExtensions, fc.boolean(), async (extensions, isMixed) => {
    const accepts = [...(isMixed ? [uptoTerms('500000')] : []), exactTerms('10000')]
    const required = { x402Version: 2, resource: { url: 'http://127.0.0.1/' }, accepts, extensions }
    const requested: { method: string; params: unknown[] }[] = []
    const answers: Record<string, unknown> = {
      eth_requestAccounts: [PAYER],
      eth_chainId: '0x2105',
      eth_call: toWord(20_000),
      eth_signTypedData_v4: `0x${'00'.repeat(65)}`,
    }
    const provider = {
      async request(call: { method: string; params: unknown[] }) {
        requested.push(call)
        return answers[call.method]
      },
    }
    stored.clear()
    const { header } = await signPayment({
      response: new Response(null, {
        status: 402,
        headers: { 'payment-required': encodePaymentRequiredHeader(required as never) },
      }),
      wallet: { name: 'a wallet', provider },
      request: { url: '/a', init: {}, values: {}, isComplete: true },
      endpoint: 'a',
      isDemo: false,
    })
    const signed = requested.filter(
      ({ method }) => !['eth_requestAccounts', 'eth_chainId', 'eth_call'].includes(method),
    )
    assert.deepEqual(
      signed.map(({ method }) => method),
      ['eth_signTypedData_v4'],
    )
    const { primaryType, domain, message } = JSON.parse(String(signed[0]?.params[1]))
    assert.deepEqual(
      [primaryType, message.value, message.from],
      ['TransferWithAuthorization', '10000', PAYER],
    )
    assert.deepEqual([domain.chainId, domain.verifyingContract], [8453, exactTerms('10000').asset])
    const sent = JSON.parse(Buffer.from(header, 'base64').toString())
    assert.deepEqual(Object.keys(sent).sort(), ['accepted', 'payload', 'resource', 'x402Version'])
  })
  await fc.assert(property, { numRuns: 50 })
})
