import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { BASE } from '@tollbook/chain/network'
import { exactTerms, makeExact } from '@tollbook/testing/payments/offered-payment'
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { ExactEvmScheme as ExactServer } from '@x402/evm/exact/server'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { paymentMiddleware } from '@x402/hono'
import { Hono } from 'hono'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { useFacilitator } from 'x402/verify'
import { HOSTILE_MODES, type HostileMode } from './facilitator/settle-in-mode.ts'
import { type HostileFacilitator, startHostileFacilitator } from './hostile-facilitator.ts'

const SELLER = `0x${'5e'.repeat(20)}` as const
const DELAY_MS = 300
let facilitator: HostileFacilitator
before(async () => {
  facilitator = await startHostileFacilitator({ mode: 'honest', delayMs: DELAY_MS })
})
after(() => facilitator.close())

async function newPayer(): Promise<Hex> {
  const key = generatePrivateKey()
  await facilitator.chain.fundUsdc(privateKeyToAccount(key).address, 1_000_000n)
  return key
}

/** What a request to settle causes: what moves, and how many transactions are sent. */
async function effectOf<Result>(work: () => Promise<Result>) {
  const { chain, sent } = facilitator
  const [earned, count] = [await chain.usdcOf(SELLER), sent.length]
  const result = await work()
  return { result, moved: (await chain.usdcOf(SELLER)) - earned, sent: sent.length - count }
}

/** `status`: what the payer gets of a seller with the middleware of the x402 SDK. */
const EXPECTED: Record<
  HostileMode,
  { readonly status: number; readonly paid: boolean; readonly sent: number }
> = {
  honest: { status: 200, paid: true, sent: 1 },
  slow: { status: 200, paid: true, sent: 1 },
  'lying-success': { status: 200, paid: false, sent: 0 },
  'lying-failure': { status: 402, paid: true, sent: 1 },
  double: { status: 402, paid: true, sent: 2 },
  'lost-answer': { status: 402, paid: true, sent: 1 },
  reorganisation: { status: 200, paid: false, sent: 1 },
}

/** The client of the x402 SDK buys from a seller with the SDK's middleware, without a network between them. */
async function buyFromStockSeller(key: Hex): Promise<number> {
  const price = {
    asset: BASE.usdc,
    amount: '1300',
    extra: { name: BASE.usdcName, version: BASE.usdcVersion },
  }
  const accepts = { scheme: 'exact', network: BASE.id, payTo: SELLER, maxTimeoutSeconds: 60, price }
  const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator.url }))
  const seller = new Hono()
    .use(paymentMiddleware({ 'GET /': { accepts } }, resources.register(BASE.id, new ExactServer())))
    .get('/', (context) => context.text('sold'))
  const client = new x402Client().register(BASE.id, new ExactEvmScheme(privateKeyToAccount(key)))
  const ask: typeof fetch = async (input, init) => seller.request(new Request(input, init))
  const { status } = await wrapFetchWithPayment(ask, client)('http://localhost/')
  return status
}

for (const mode of HOSTILE_MODES)
  test(`${mode}: what a stock seller answers to a stock client, and what moves`, async () => {
    facilitator.setMode(mode)
    const key = await newPayer()
    const { status, paid, sent } = EXPECTED[mode]
    const effect = await effectOf(() => buyFromStockSeller(key))
    assert.deepEqual(effect, { result: status, moved: paid ? 1_300n : 0n, sent })
  })

/** A payment of 1,700 micro-USDC in version 1, as facilitators receive it. */
async function payV1(key: Hex) {
  const { payload, terms } = await makeExact(key, exactTerms('1700', { payTo: SELLER }))
  const paymentPayload = { ...(payload as object), x402Version: 1, scheme: 'exact', network: BASE.nameV1 }
  const described = { resource: 'https://seller.example/', description: '', mimeType: 'text/plain' }
  const amounts = { maxAmountRequired: terms.amount, network: BASE.nameV1 }
  return { x402Version: 1, paymentPayload, paymentRequirements: { ...terms, ...amounts, ...described } }
}

for (const mode of HOSTILE_MODES)
  test(`${mode}: the answer to a client of version 1, and the USDC that is transferred`, async () => {
    facilitator.setMode(mode)
    const { paymentPayload, paymentRequirements } = await payV1(await newPayer())
    type Arguments = Parameters<ReturnType<typeof useFacilitator>['settle']>
    const order = [paymentPayload, paymentRequirements] as unknown as Arguments
    const { verify, settle } = useFacilitator({ url: facilitator.url as `http://${string}` })
    assert.equal((await verify(...order)).isValid, true)
    const startedMs = performance.now()
    const { result, moved, sent } = await effectOf(() => settle(...order).catch(() => null))
    assert.equal(moved, EXPECTED[mode].paid ? 1_700n : 0n)
    assert.equal(sent, EXPECTED[mode].sent)
    if (mode === 'lost-answer') assert.equal(result, null)
    else assert.equal(result?.success, EXPECTED[mode].status === 200)
    if (mode === 'slow') assert.ok(performance.now() - startedMs >= DELAY_MS - 1)
    if (mode === 'lying-failure') assert.equal(result?.errorReason, 'insufficient_funds')
    if (mode === 'double') assert.equal(result?.transaction, facilitator.sent.at(-1))
  })

test('what an honest facilitator refuses is refused in each mode, and nothing is sent', async () => {
  for (const mode of HOSTILE_MODES) {
    facilitator.setMode(mode)
    const body = JSON.stringify(await payV1(generatePrivateKey()))
    const post = (path: string) => fetch(`${facilitator.url}${path}`, { method: 'POST', body })
    const { result, sent } = await effectOf(async () => (await post('/settle')).json())
    assert.equal((result as { success: boolean }).success, false, mode)
    assert.equal(sent, 0, mode)
    assert.equal(((await (await post('/verify')).json()) as { isValid: boolean }).isValid, false, mode)
  }
})

test('closing it ends a slow answer and the chain that it started', async () => {
  const slow = await startHostileFacilitator({ mode: 'slow', delayMs: 600_000 })
  const body = JSON.stringify(await payV1(slow.chain.accounts[0].privateKey))
  const asking = assert.rejects(fetch(`${slow.url}/settle`, { method: 'POST', body }))
  while (slow.sent.length === 0) await slow.chain.mine()
  await slow.close()
  await asking
  await assert.rejects(slow.chain.mine(), { name: 'Unreachable' })
})
