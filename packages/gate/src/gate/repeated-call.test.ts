import assert from 'node:assert/strict'
import { json } from '@tollbook/endpoints/answer'
import { ProblemError } from '@tollbook/http/problem'
import { codeOf, createWorld, inWorld, receiptOf, sayEndpoint } from '@tollbook/testing/payments/gate-world'
import { openProtocol, type ProtocolName } from '@tollbook/testing/payments/protocols'
import { signPayment } from '@tollbook/testing/payments/sign-payment'
import { onEveryState } from '@tollbook/testing/state/every-state'
import * as z from 'zod'

const PATH = '/api/say?word=hi'
onEveryState('a payment in flight is 409 with Retry-After, at any process', async (state) => {
  const world = createWorld(state)
  const [first, second] = [await world.startProcess(), await world.startProcess()]
  const payment = await first.pay(PATH, world.newPayer())
  let release = () => {}
  const isRunning = new Promise<void>((running) => {
    first.link.pause = (place) => {
      if (place !== 'handler') return Promise.resolve()
      running()
      return new Promise((resolve) => {
        release = resolve
      })
    }
  })
  const served = first.fetch(PATH, payment)
  await isRunning
  for (const process of [first, second]) {
    const response = await process.fetch(PATH, payment)
    assert.equal(response.status, 409)
    assert.equal(response.headers.get('retry-after'), '1')
    assert.equal(await codeOf(response), 'payment_in_flight')
  }
  release()
  assert.equal((await served).status, 200)
  assert.equal(first.desk.runs + second.desk.runs, 1)
  world.close()
})

inWorld(
  'a retry with a new signature under the same payment-identifier is not charged again',
  async (world) => {
    const process = await world.startProcess()
    const payer = world.newPayer()
    const identifier = 'order-0123456789abcdef'
    const first = await process.fetch(PATH, await process.pay(PATH, payer, { identifier }))
    const again = await process.fetch(PATH, await process.pay(PATH, payer, { identifier }))
    assert.equal(again.status, 200)
    assert.equal(await again.text(), await first.text())
    assert.equal(receiptOf(again)?.transaction, receiptOf(first)?.transaction)
    const other = '/api/say?word=ho'
    const reused = await process.fetch(other, await process.pay(other, payer, { identifier }))
    assert.equal(await codeOf(reused), 'payment_reused')
    assert.equal(world.chain.transfers.length, 1)
    assert.equal(process.desk.runs, 1)
    // Identifiers of different payers are independent.
    const stranger = await process.fetch(other, await process.pay(other, world.newPayer(), { identifier }))
    assert.equal(stranger.status, 200)
  },
)

inWorld('the header Idempotency-Key is a payment-identifier, in every protocol', async (world) => {
  const process = await world.startProcess()
  const payer = world.newPayer()
  const key = { 'idempotency-key': 'order-0123456789abcdef' }
  const send = async (path: string, name: ProtocolName, further: Record<string, string> = key) => {
    const protocol = openProtocol(name, await process.fetch(path))
    const options = { now: Math.floor(world.now() / 1000), ...protocol.options }
    const payment = await signPayment(payer, await process.challenge(path), options)
    return process.fetch(path, { headers: { ...protocol.headers(payment), ...further } })
  }
  for (const name of ['MPP', 'x402 version 2', 'x402 version 1'] as const) {
    const answer = await send(PATH, name)
    assert.equal(answer.status, 200)
    const settled = { MPP: 'payment-receipt', 'x402 version 1': 'x-payment-response' }[name as 'MPP']
    assert.ok(answer.headers.get(settled ?? 'payment-response'), name)
  }
  const quoted = { 'idempotency-key': '"order-0123456789abcdef"' }
  assert.equal((await send(PATH, 'x402 version 1', quoted)).status, 200)
  assert.equal(process.desk.runs, 1)
  assert.equal(world.chain.transfers.length, 1)
  assert.equal(await codeOf(await send('/api/say?word=ho', 'MPP')), 'payment_reused')
  for (const short of ['1', '"', 'x'.repeat(129)])
    assert.equal(await codeOf(await send(PATH, 'MPP', { 'idempotency-key': short })), 'payment_malformed')
  const identified = await process.pay(PATH, payer, { identifier: 'another-0123456789' })
  const both = await process.fetch(PATH, { headers: { ...identified.headers, ...key } })
  assert.equal(await codeOf(both), 'payment_malformed')
})

onEveryState('two concurrent payments under one payment-identifier buy one answer', async (state) => {
  const world = createWorld(state)
  const processes = [await world.startProcess(), await world.startProcess()] as const
  const payer = world.newPayer()
  const identifier = 'order-0123456789abcdef'
  const payments = await Promise.all(processes.map((process) => process.pay(PATH, payer, { identifier })))
  const responses = await Promise.all(processes.map((process, at) => process.fetch(PATH, payments[at])))
  for (const { status } of responses) assert.ok([200, 409].includes(status))
  assert.equal(world.chain.transfers.length, 1)
  assert.equal(processes[0].desk.runs + processes[1].desk.runs, 1)
  world.close()
})

inWorld(
  'a released payment does not shadow the call recorded under its payment-identifier',
  async (world) => {
    const process = await world.startProcess()
    const payer = world.newPayer()
    const identifier = 'order-0123456789abcdef'
    const { work } = process.desk
    process.desk.work = () => {
      throw new ProblemError({ code: 'cannot_be_served', detail: 'Not now.' })
    }
    const released = await process.pay(PATH, payer, { identifier })
    assert.equal((await process.fetch(PATH, released)).status, 422)
    process.desk.work = work
    assert.equal((await process.fetch(PATH, await process.pay(PATH, payer, { identifier }))).status, 200)
    assert.equal((await process.fetch(PATH, released)).status, 200)
    assert.equal(world.chain.transfers.length, 1)
    assert.equal(process.desk.runs, 2)
  },
)

inWorld(
  'after a change of price and description, a paid answer is repeated and nothing sold',
  async (world) => {
    const path = '/api/changing?word=hi'
    const say = (priceUsd: string, summary: string) =>
      sayEndpoint('changing', {
        summary,
        description: summary,
        pricing: { kind: 'exact', priceUsd },
        output: z.looseObject({}),
        example: { input: { word: 'a' }, output: { summary } },
        handle: () => json({ summary }),
      })
    const before = await world.startProcess({}, 100_000, [say('0.01', 'Before')])
    const offered = await before.challenge(path)
    // As stock clients do, with all extensions of the 402.
    const sign = async () => {
      const now = Math.floor(world.now() / 1000)
      const tamper = (payload: object) => ({ ...payload, extensions: offered.extensions })
      return {
        headers: { 'payment-signature': await signPayment(world.newPayer(), offered, { now, tamper }) },
      }
    }
    const [paid, unused] = [await sign(), await sign()]
    const text = await (await before.fetch(path, paid)).text()
    assert.match(text, /Before/)

    for (const [price, reason] of [
      ['0.01', 'extension_echo_mismatch'],
      ['0.02', 'invalid_payment_requirements'],
    ] as const) {
      const output = z.looseObject({ summary: z.string() })
      const after = await world.startProcess({}, 100_000, [{ ...say(price, 'After'), output }])
      const again = await after.fetch(path, paid)
      assert.deepEqual([again.status, await again.text()], [200, text])
      const refused = await after.fetch(path, unused)
      assert.equal(refused.status, 402)
      assert.equal(((await refused.json()) as { reason: string }).reason, reason)
      const other = await after.fetch('/api/changing?word=ho', paid)
      assert.equal(await codeOf(other), 'payer_proof_required')
    }
    assert.equal(world.chain.transfers.length, 1)
  },
)
