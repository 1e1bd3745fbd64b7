import assert from 'node:assert/strict'
import { ProblemError } from '@tollbook/http/problem'
import {
  codeOf,
  createWorld,
  inWorld,
  type Process,
  receiptOf,
  type World,
} from '@tollbook/testing/payments/gate-world'
import type { Payer, SignOptions } from '@tollbook/testing/payments/sign-payment'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import { createSIWxPayload, encodeSIWxHeader } from '@x402/extensions/sign-in-with-x'

const PATH = '/api/say?word=hi'
const TRANSACTION = `0x${'5e'.repeat(32)}` as const

/** Answers the challenge of a 403 with a signature of the payer. */
async function prove(process: Process, payer: Payer, refused: Response, path = PATH): Promise<string> {
  const { extensions } = (await refused.json()) as {
    extensions: { 'sign-in-with-x': { info: Parameters<typeof createSIWxPayload>[0] } }
  }
  const complete = { ...extensions['sign-in-with-x'].info, chainId: 'eip155:8453', type: 'eip191' } as const
  const { resource } = await process.challenge(path)
  return encodeSIWxHeader(await createSIWxPayload(complete, payer, resource.url))
}

/** Signs a payment of 0.01 dollars, which a third party submits before the request arrives. */
async function paidBefore(
  world: World,
  process: Process,
  payer: Payer,
  {
    amount = 10_000n,
    path = PATH,
    ...options
  }: SignOptions & { readonly amount?: bigint; readonly path?: string } = {},
) {
  const payment = await process.pay(path, payer, options)
  const { payload } = JSON.parse(Buffer.from(payment.headers['payment-signature'] ?? '', 'base64').toString())
  const { from, nonce, validBefore } = payload.authorization
  const submitted = { payer: from, nonce, validBefore: Number(validBefore) } as never
  assert.equal(world.chain.submit(submitted, amount, TRANSACTION), null)
  return payment
}

onEveryState(
  'a payment that a third party submitted first is served once, to the proven payer',
  async (state) => {
    const world = createWorld(state)
    const process = await world.startProcess()
    const payer = world.newPayer(10_000n)
    const payment = await paidBefore(world, process, payer)
    const refused = await process.fetch(PATH, payment)
    assert.equal(refused.status, 403)
    assert.equal(process.desk.runs, 0)
    const stranger = await prove(process, world.newPayer(), await process.fetch(PATH, payment))
    const ask = (proof: string, path = PATH) =>
      process.fetch(path, { headers: { ...payment.headers, 'sign-in-with-x': proof } })
    assert.equal(await codeOf(await ask(stranger)), 'payer_proof_required')
    const answered = await ask(await prove(process, payer, refused))
    assert.equal(answered.status, 200)
    assert.equal(receiptOf(answered)?.transaction, TRANSACTION)
    assert.equal(world.chain.transfers.length, 1)
    assert.equal(world.chain.balanceOf(payer.address), 0n)

    const other = '/api/say?word=ho'
    const again = await prove(process, payer, await process.fetch(other, payment))
    assert.equal(await codeOf(await ask(again, other)), 'payment_reused')
    assert.equal(process.desk.runs, 1)
    world.close()
  },
)

inWorld(
  'of many concurrent proofs for a payment that a third party submitted, one runs the handler',
  async (world) => {
    const processes = [await world.startProcess(), await world.startProcess()] as const
    const payer = world.newPayer()
    const payment = await paidBefore(world, processes[0], payer)
    const refused = await Promise.all(
      [...processes, ...processes].map((process) => process.fetch(PATH, payment)),
    )
    for (const { status } of refused) assert.ok([403, 409].includes(status))
    const proofs = await Promise.all(
      refused.filter(({ status }) => status === 403).map((response) => prove(processes[0], payer, response)),
    )
    const responses = await Promise.all(
      proofs.map((proof, at) =>
        processes[at % 2 === 0 ? 0 : 1].fetch(PATH, {
          headers: { ...payment.headers, 'sign-in-with-x': proof },
        }),
      ),
    )
    assert.ok(responses.some(({ status }) => status === 200))
    assert.equal(processes[0].desk.runs + processes[1].desk.runs, 1)
    assert.equal(world.chain.transfers.length, 1)
  },
)

for (const laterMs of [0, 20 * 60_000])
  inWorld(
    `what was paid before a state was restored is served to its payer ${laterMs / 60_000} minutes later`,
    async (world) => {
      const payer = world.newPayer()
      const before = await world.startProcess()
      const payment = await before.pay(PATH, payer)
      assert.equal((await before.fetch(PATH, payment)).status, 200)
      const restored = createWorld(await openTestState(), world.chain)
      restored.pass(laterMs)
      world.pass(laterMs)
      const process = await restored.startProcess()
      const refused = await process.fetch(PATH, payment)
      assert.equal(refused.status, 403)
      // The extension reads the real clock to date proofs.
      if (laterMs === 0) {
        const proof = await prove(process, payer, refused)
        const headers = { ...payment.headers, 'sign-in-with-x': proof }
        assert.equal((await process.fetch(PATH, { headers })).status, 200)
        assert.equal(process.desk.runs, 1)
      }
      assert.equal(world.chain.transfers.length, 1)
      restored.close()
      await restored.state.close()
    },
  )

inWorld('a payment that went elsewhere, is too small or paid nobody is rejected as before', async (world) => {
  const process = await world.startProcess()
  const small = await paidBefore(world, process, world.newPayer(), { amount: 9_999n })
  assert.equal((await process.fetch(PATH, small)).status, 402)
  const payer = world.newPayer()
  const nonce = `0x${'7d'.repeat(32)}` as const
  const cancelled = await process.pay(PATH, payer, { nonce })
  world.chain.cancel(payer.address, nonce)
  assert.equal((await process.fetch(PATH, cancelled)).status, 402)
  const late = await process.pay(PATH, world.newPayer())
  world.pass(10 * 60_000)
  assert.equal(await codeOf(await process.fetch(PATH, late)), 'payment_expired')
  assert.equal(process.desk.runs, 0)
})

inWorld(
  'after a problem of the handler, a payment that a third party submitted can be retried',
  async (world) => {
    const process = await world.startProcess()
    const payer = world.newPayer()
    const payment = await paidBefore(world, process, payer)
    const { work } = process.desk
    const ask = async () => {
      const proof = await prove(process, payer, await process.fetch(PATH, payment))
      return process.fetch(PATH, { headers: { ...payment.headers, 'sign-in-with-x': proof } })
    }
    process.desk.work = () => {
      throw new ProblemError({ code: 'cannot_be_served', detail: 'Not now.' })
    }
    assert.equal((await ask()).status, 422)
    process.desk.work = work
    assert.equal((await ask()).status, 200)
    assert.equal(world.chain.transfers.length, 1)
  },
)

inWorld('a barred wallet is served once its transfer is on the chain, and again after two', async (world) => {
  const process = await world.startProcess()
  const payer = world.newPayer()
  const { work } = process.desk
  process.desk.work = (call) => {
    world.chain.fund(payer.address, 0n)
    return work(call)
  }
  Object.assign(process.link, { revertCause: 'reverted', burntGas: 59_000n })
  await process.fetch(PATH, await process.pay(PATH, payer))
  process.desk.work = work
  world.chain.fund(payer.address, 1_000_000n)
  for (let call = 0; call < 2; call += 1) {
    const barred = await process.fetch(PATH, await process.pay(PATH, payer))
    assert.deepEqual([barred.status, await codeOf(barred)], [402, 'wallet_barred'])
    const payment = await paidBefore(world, process, payer)
    const proof = await prove(process, payer, await process.fetch(PATH, payment))
    const served = await process.fetch(PATH, { headers: { ...payment.headers, 'sign-in-with-x': proof } })
    assert.equal(served.status, 200)
  }
  world.pass(11 * 60_000)
  assert.equal((await process.fetch(PATH, await process.pay(PATH, payer))).status, 200)
})

inWorld(
  'a prepaid call that exceeds its time limit is 504, and may run again without a further charge',
  async (world) => {
    const process = await world.startProcess()
    const { work } = process.desk
    process.desk.work = () => new Promise(() => {})
    const path = '/api/quick?word=hi'
    const payer = world.newPayer()
    const payment = await paidBefore(world, process, payer, { path })
    const ask = async () => {
      const proof = await prove(process, payer, await process.fetch(path, payment), path)
      return process.fetch(path, { headers: { ...payment.headers, 'sign-in-with-x': proof } })
    }
    const late = await ask()
    assert.deepEqual([late.status, await codeOf(late)], [504, 'upstream_timeout'])
    process.desk.work = work
    const answered = await ask()
    assert.equal(answered.status, 200)
    assert.equal(receiptOf(answered)?.transaction, TRANSACTION)
    assert.equal(world.chain.transfers.length, 1)
  },
)
