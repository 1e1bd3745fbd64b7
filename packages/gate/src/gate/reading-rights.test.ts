import assert from 'node:assert/strict'
import { json } from '@tollbook/endpoints/answer'
import { codeOf, inWorld, type Process } from '@tollbook/testing/payments/gate-world'
import { type Payer, withIdentifier } from '@tollbook/testing/payments/sign-payment'
import { createSIWxPayload, encodeSIWxHeader } from '@x402/extensions/sign-in-with-x'

const PATH = '/api/say?word=hi'
const IDENTIFIER = 'first-request-0001'
const MINUTES = 60_000
const HOURS = 60 * MINUTES

async function prove(process: Process, payer: Payer, refused: Response): Promise<string> {
  const { extensions } = (await refused.json()) as {
    extensions: { 'sign-in-with-x': { info: Parameters<typeof createSIWxPayload>[0] } }
  }
  const { info } = extensions['sign-in-with-x']
  const complete = { ...info, chainId: 'eip155:8453', type: 'eip191' } as const
  const { resource } = await process.challenge(PATH)
  return encodeSIWxHeader(await createSIWxPayload(complete, payer, resource.url))
}

inWorld(
  'a public answer is repeated to anyone for ten minutes, then only to its payer, then not at all',
  async (world) => {
    const process = await world.startProcess()
    const payer = world.newPayer()
    const payment = await process.pay(PATH, payer)
    const first = await (await process.fetch(PATH, payment)).text()
    world.pass(9 * MINUTES)
    assert.equal(await (await process.fetch(PATH, payment)).text(), first)
    world.pass(2 * MINUTES)
    const refused = await process.fetch(PATH, payment)
    assert.equal(refused.status, 403)
    const proof = await prove(process, payer, refused)
    const proved = { headers: { ...payment.headers, 'sign-in-with-x': proof } }
    assert.equal(await (await process.fetch(PATH, proved)).text(), first)
    world.pass(25 * HOURS)
    assert.equal(await codeOf(await process.fetch(PATH, payment)), 'payment_spent')
    assert.equal(process.desk.runs, 1)
  },
)

inWorld(
  "a wallet's answer is not sent to a caller who reconstructed its payment from the chain",
  async (world) => {
    const process = await world.startProcess()
    const path = '/api/wallet?word=hi'
    const payer = world.newPayer()
    const nonce = `0x${'7b'.repeat(32)}` as const
    const payment = await process.pay(path, payer, { nonce, identifier: IDENTIFIER })
    assert.equal((await process.fetch(path, payment)).status, 200)

    // All of it is public now, except the identifier.
    const rebuilt = JSON.parse(Buffer.from(payment.headers['payment-signature'] ?? '', 'base64').toString())
    const encode = (payload: unknown) => ({
      headers: { 'payment-signature': Buffer.from(JSON.stringify(payload)).toString('base64') },
    })
    const without = { ...rebuilt, extensions: {} }
    const guessed = { ...rebuilt, extensions: withIdentifier(await process.challenge(path), 'x'.repeat(16)) }
    for (const forged of [without, guessed]) {
      const response = await process.fetch(path, encode(forged))
      assert.equal(response.status, 403)
      assert.equal(await codeOf(response), 'payer_proof_required')
    }
    assert.equal((await process.fetch(path, encode(rebuilt))).status, 200)
    assert.equal(process.desk.runs, 1)
  },
)

inWorld('a payer proves itself with SIGN-IN-WITH-X, once with each signature', async (world) => {
  const process = await world.startProcess()
  const path = '/api/wallet?word=hi'
  const payer = world.newPayer()
  const payment = await process.pay(path, payer)
  const first = await process.fetch(path, payment)
  assert.equal(first.status, 200)

  const stranger = await prove(process, world.newPayer(), await process.fetch(path, payment))
  const own = await prove(process, payer, await process.fetch(path, payment))
  const ask = (proof: string) =>
    process.fetch(path, { headers: { ...payment.headers, 'sign-in-with-x': proof } })
  assert.equal((await ask(stranger)).status, 403)
  assert.equal((await ask('bm9uc2Vuc2U=')).status, 403)
  const shortNonce = { ...JSON.parse(atob(own)), nonce: 'short' }
  assert.equal((await ask(btoa(JSON.stringify(shortNonce)))).status, 403)
  const again = await ask(own)
  assert.equal(again.status, 200)
  assert.equal(await again.text(), await first.text())
  assert.equal((await ask(own)).status, 403, 'a proof that others have seen is worth nothing')
})

inWorld(
  'an answer about the caller needs a proof, even if other answers of its endpoint do not',
  async (world) => {
    const process = await world.startProcess()
    process.desk.work = ({ input: { word }, clientAddress }) => json({ word, clientAddress })
    const served = async (path: string) => {
      const payment = await process.pay(path, world.newPayer())
      assert.equal((await process.fetch(path, payment)).status, 200)
      return process.fetch(path, payment)
    }
    assert.equal(await codeOf(await served('/api/near?word=me')), 'payer_proof_required')
    assert.deepEqual(await (await served('/api/near?word=you')).json(), {
      word: 'you',
      clientAddress: 'unknown',
    })
  },
)

/** Repeats the call with a payment, and returns what a caller without proof learns. */
async function learned(process: Process, path: string, payment: RequestInit): Promise<string> {
  const response = await process.fetch(path, payment)
  return `${response.status} ${await codeOf(response)}`
}

for (const [what, path, otherPath, agedMs] of [
  ['of a wallet', '/api/wallet?word=hi', '/api/wallet?word=ho', 0],
  ['of a wallet, requested from another endpoint', '/api/wallet?word=hi', '/api/say?word=hi', 0],
  ['of a public endpoint, after ten minutes', PATH, '/api/say?word=ho', 11 * MINUTES],
  ['that is no longer stored', PATH, '/api/say?word=ho', 25 * HOURS],
] as const)
  inWorld(
    `a reconstructed payment does not reveal which request it bought: an answer ${what}`,
    async (world) => {
      const process = await world.startProcess()
      const identifier = IDENTIFIER
      const payer = world.newPayer()
      const own = await process.pay(path, payer, { identifier })
      assert.equal((await process.fetch(path, own)).status, 200)
      world.pass(agedMs)
      const other = await learned(process, otherPath, await rebuild(process, otherPath, own))
      assert.equal(other, await learned(process, path, await rebuild(process, path, own)))
      assert.equal(process.desk.runs, 1)
    },
  )

inWorld('a proven payer learns that its payment bought another request', async (world) => {
  const process = await world.startProcess()
  const [path, otherPath] = ['/api/wallet?word=hi', '/api/wallet?word=ho']
  const payer = world.newPayer()
  const own = await process.pay(path, payer, { identifier: IDENTIFIER })
  assert.equal((await process.fetch(path, own)).status, 200)
  assert.equal(await learned(process, otherPath, own), '409 payment_reused')
  const rebuilt = await rebuild(process, otherPath, own)
  const proof = await prove(process, payer, await process.fetch(otherPath, rebuilt))
  const proved = { headers: { ...rebuilt.headers, 'sign-in-with-x': proof } }
  assert.equal(await learned(process, otherPath, proved), '409 payment_reused')
})

/** The payment as its transaction shows it, presented for a path. */
async function rebuild(
  process: Process,
  path: string,
  { headers }: { readonly headers: Record<string, string> },
) {
  const { payload, accepted } = JSON.parse(
    Buffer.from(headers['payment-signature'] ?? '', 'base64').toString(),
  )
  const { resource } = await process.challenge(path)
  const text = JSON.stringify({ x402Version: 2, resource, accepted, payload })
  return { headers: { 'payment-signature': Buffer.from(text).toString('base64') } }
}
