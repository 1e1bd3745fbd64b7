import assert from 'node:assert/strict'
import { lineStream } from '@tollbook/endpoints/answer'
import { ProblemError } from '@tollbook/http/problem'
import {
  BASE_URL,
  createWorld,
  type Process,
  sayEndpoint,
  type World,
} from '@tollbook/testing/payments/gate-world'
import type { Payer } from '@tollbook/testing/payments/sign-payment'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import {
  createSIWxPayload,
  encodeSIWxHeader,
  type SIWxPayload,
  wrapFetchWithSIWx,
} from '@x402/extensions/sign-in-with-x'
import * as z from 'zod'

const PATH = '/api/kept?word=hi'
const HOURS = 60 * 60_000

/** Two endpoints whose answers are streams, bought for a day. */
function sellKept(world: World) {
  const runs: string[] = []
  const declare = (id: 'kept' | 'other') =>
    sayEndpoint(id, {
      output: z.string(),
      example: { input: { word: 'a' }, output: 'a' },
      scope: 'wallet',
      repeatAccess: { hours: 24 },
      handle: ({ input: { word }, payer, callId }) => {
        if (word === 'fail') throw new ProblemError({ code: 'upstream_failed', detail: 'It failed.' })
        runs.push(callId)
        return lineStream(say(`${word} to ${payer}`))
      },
    })
  const start = (perMinute = 100_000) =>
    world.startProcess({}, perMinute, [declare('kept'), declare('other')])
  return { runs, start }
}

async function* say(text: string) {
  yield { bytes: new TextEncoder().encode(text), isContent: true }
}

/** The header that proves the payer's wallet to the 402 of a path; dated by the real clock, as its verifier is. */
async function prove(
  { fetch }: Process,
  payer: Payer,
  { path = PATH, change = {} }: { readonly path?: string; readonly change?: Partial<SIWxPayload> } = {},
): Promise<Record<string, string>> {
  const required = decodePaymentRequiredHeader((await fetch(path)).headers.get('payment-required') ?? '')
  const { 'sign-in-with-x': extension } = required.extensions ?? {}
  const { info } = extension as { info: Parameters<typeof createSIWxPayload>[0] }
  const proofInfo = { ...info, chainId: 'eip155:8453', type: 'eip191' } as const
  const proof = await createSIWxPayload(proofInfo, payer, required.resource.url)
  return { 'sign-in-with-x': encodeSIWxHeader({ ...proof, ...change }) }
}

async function inState(state: Parameters<typeof createWorld>[0], work: (world: World) => Promise<void>) {
  const world = createWorld(state)
  await work(world).finally(world.close)
}

onEveryState('a purchase is repeated without a charge, once for each proof, by any process', (state) =>
  inState(state, async (world) => {
    const { runs, start } = sellKept(world)
    const process = await start()
    const payer = world.newPayer()
    const bought = await process.fetch(PATH, await process.pay(PATH, payer))
    const text = await bought.text()
    assert.equal(text, `hi to ${payer.address.toLowerCase()}`)
    const other = await start()
    const headers = await prove(process, payer)
    const offered = [process, other, process, other].map(({ fetch }) => fetch(PATH, { headers }))
    const [again, ...others] = (await Promise.all(offered)).sort((one, next) => one.status - next.status)
    assert.deepEqual([again?.status, ...others.map(({ status }) => status)], [200, 402, 402, 402])
    assert.equal(await again?.text(), text)
    assert.equal(again?.headers.get('payment-response'), null)
    assert.equal(again?.headers.get('tollbook-receipt'), bought.headers.get('tollbook-receipt'))
    assert.equal((await process.fetch(PATH, { headers })).status, 402, 'its nonce is used')
    assert.equal((await other.fetch(PATH, { headers: await prove(other, payer) })).status, 200)
    assert.equal(runs.length, 3)
    assert.equal(new Set(runs).size, 1, 'all runs are one call')
    assert.equal(world.chain.transfers.length, 1)
    const rows = state.db.selectFrom('paid_call').select('id')
    assert.equal((await rows.where('payer', '=', payer.address.toLowerCase()).execute()).length, 1)
  }),
)

onEveryState('nothing else than the purchase is free: 402 for any other wallet, request or time', (state) =>
  inState(state, async (world) => {
    const { runs, start } = sellKept(world)
    const process = await start()
    const [payer, stranger] = [world.newPayer(), world.newPayer()]
    const ask = async (path: string, proof: Record<string, string>) => {
      const response = await process.fetch(path, { headers: proof })
      await response.body?.cancel()
      return response.status
    }
    assert.equal(await ask(PATH, await prove(process, payer)), 402, 'not bought yet')
    const failing = '/api/kept?word=fail'
    await process.fetch(failing, await process.pay(failing, payer))
    assert.equal(await ask(failing, await prove(process, payer)), 402, 'not charged')
    const say = '/api/say?word=hi'
    for (const path of [PATH, say])
      assert.equal((await process.fetch(path, await process.pay(path, payer))).status, 200)
    const before = runs.length
    assert.equal(await ask(PATH, await prove(process, stranger)), 402)
    const stolen = { address: payer.address }
    assert.equal(await ask(PATH, await prove(process, stranger, { change: stolen })), 402, 'badly signed')
    assert.equal(await ask('/api/kept?word=ho', await prove(process, payer)), 402, 'other arguments')
    assert.equal(await ask('/api/kept', await prove(process, payer)), 402, 'no arguments')
    assert.equal(await ask('/api/other?word=hi', await prove(process, payer)), 402, 'another URL')
    const otherPath = '/api/other?word=hi'
    assert.equal(await ask(PATH, await prove(process, payer, { path: otherPath })), 402, 'signed for another')
    assert.equal(await ask(say, await prove(process, payer)), 402, 'an endpoint without a period')
    world.pass(23.9 * HOURS)
    assert.equal(await ask(PATH, await prove(process, payer)), 200)
    world.pass(0.2 * HOURS)
    assert.equal(await ask(PATH, await prove(process, payer)), 402, 'the period has ended')
    assert.equal(runs.length - before, 1)
  }),
)

onEveryState('unsigned proofs that name a payer take nothing from its budget', (state) =>
  inState(state, async (world) => {
    const process = await sellKept(world).start(20)
    const [payer, stranger] = [world.newPayer(), world.newPayer()]
    assert.equal((await process.fetch(PATH, await process.pay(PATH, payer))).status, 200)
    const headers = await prove(process, stranger, { change: { address: payer.address } })
    // Eight requests of an address are within its own budget.
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3'])
      for (let sent = 0; sent < 8; sent += 1)
        assert.equal((await process.fetch(PATH, { headers }, address)).status, 402)
    const again = await process.fetch(PATH, { headers: await prove(process, payer) })
    assert.equal(again.status, 200)
    assert.equal(await again.text(), `hi to ${payer.address.toLowerCase()}`)
    const say = '/api/say?word=hi'
    assert.equal((await process.fetch(say, await process.pay(say, payer))).status, 200)
  }),
)

onEveryState('one repetition of a purchase runs at a time, until its client has read it or left', (state) =>
  inState(state, async (world) => {
    const process = await sellKept(world).start()
    const payer = world.newPayer()
    await (await process.fetch(PATH, await process.pay(PATH, payer))).text()
    const repeat = async () => process.fetch(PATH, { headers: await prove(process, payer) })
    const first = await repeat()
    assert.equal((await repeat()).status, 409)
    await first.text()
    const second = await repeat()
    assert.equal(second.status, 200)
    await second.body?.cancel()
    assert.equal((await repeat()).status, 200)
  }),
)

onEveryState('the stock client of SIGN-IN-WITH-X repeats a purchase from the 402 alone', (state) =>
  inState(state, async (world) => {
    const process = await sellKept(world).start()
    const payer = world.newPayer()
    assert.equal((await process.fetch(PATH, await process.pay(PATH, payer))).status, 200)
    const requests: Request[] = []
    const signingIn = wrapFetchWithSIWx(async (input) => {
      const request = new Request(input)
      requests.push(request)
      return process.fetch(request.url.slice(BASE_URL.length), { headers: request.headers })
    }, payer)
    const answer = await signingIn(BASE_URL + PATH)
    assert.equal(answer.status, 200)
    assert.equal(await answer.text(), `hi to ${payer.address.toLowerCase()}`)
    assert.equal(requests.length, 2)
    assert.equal(world.chain.transfers.length, 1)
  }),
)
