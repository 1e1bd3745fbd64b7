import assert from 'node:assert/strict'
import { Feed } from '@tollbook/testing/payments/feed'
import { createWorld, inWorld, type Process, receiptOf } from '@tollbook/testing/payments/gate-world'
import type { Payer } from '@tollbook/testing/payments/sign-payment'
import { onEveryState } from '@tollbook/testing/state/every-state'

const PATH = '/api/metered?word=hi'
const LEASE = { leaseMs: 10_000, resendAfterMs: 10_000 }
const RECEIPT = /: payment-response (\S+)\n\n/

/** Opens an upto stream. */
async function open(process: Process, payer: Payer) {
  const feed = new Feed()
  process.desk.work = ({ signal }) => feed.answer(signal)
  const payment = await process.pay(PATH, payer, { scheme: 'upto' })
  return { feed, payment, served: process.fetch(PATH, payment) }
}

/** Produces words, each worth this many micro-USDC. */
function giveWords(feed: Feed, from: number, to: number, worth: number): void {
  for (let at = from; at <= to; at += 1) feed.give(`${at} `, { chargeSoFar: BigInt(at * worth) })
}

function words(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, at) => `${from + at} `).join('')
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  let text = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return text
    text += new TextDecoder().decode(value)
  }
}

function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  assert.ok(response.body)
  return response.body.getReader()
}

onEveryState('a new wallet gets its first words live, and the rest after it has paid', async (state) => {
  const world = createWorld(state)
  const process = await world.startProcess()
  const { feed, served } = await open(process, world.newPayer())
  giveWords(feed, 1, 30, 100)
  const reader = readerOf(await served)
  let live = ''
  // 800 micro-USDC are eight words of 100.
  for (let at = 1; at <= 8; at += 1) live += new TextDecoder().decode((await reader.read()).value)
  assert.equal(live, words(1, 8))
  const rest = readAll(reader)
  assert.equal(world.chain.transfers.length, 0)
  feed.give('done', { chargeSoFar: 3_000n, isContent: false, isEnd: true })
  const [before, receipt = '', after] = (await rest).split(RECEIPT)
  assert.deepEqual([before, after], [words(9, 30), 'done'])
  assert.equal(JSON.parse(Buffer.from(receipt, 'base64').toString()).amount, '3000')
  assert.deepEqual(
    world.chain.transfers.map(({ amount }) => amount),
    [3_000n],
  )
  await process.gate.close()
  world.close()
})

inWorld('the last eight pieces for a new wallet are held, however little they cost', async (world) => {
  const process = await world.startProcess()
  for (const [given, live] of [
    [5, 0],
    [8, 0],
    [11, 3],
  ] as const) {
    // One failure takes the allowance away, so each case has a wallet of its own.
    const own = world.newPayer()
    process.link.pause = async (place) => {
      if (place === 'settle') world.chain.fund(own.address, 0n)
    }
    const { feed, served } = await open(process, own)
    giveWords(feed, 1, given, 1)
    feed.end()
    const reader = readerOf(await served)
    let text = ''
    await assert.rejects(async () => {
      for (;;) {
        const { value, done } = await reader.read()
        if (done) return
        text += new TextDecoder().decode(value)
      }
    })
    assert.equal(text.replace(RECEIPT, ''), live === 0 ? '' : words(1, live))
  }
})

onEveryState(
  "a wallet's allowance grows with each settled stream, and is zero after one that failed",
  async (state) => {
    const world = createWorld(state)
    const process = await world.startProcess()
    const payer = world.newPayer()
    async function countLive(): Promise<number> {
      const { feed, served } = await open(process, payer)
      giveWords(feed, 1, 40, 100)
      const reader = readerOf(await served)
      feed.end()
      let live = 0
      for (;;) {
        const { value } = await reader.read()
        if (new TextDecoder().decode(value) !== `${live + 1} `) break
        live += 1
      }
      await reader.read().catch(() => {})
      return live
    }
    // 800, and 400 more for each settled 4,000.
    assert.deepEqual([await countLive(), await countLive(), await countLive()], [8, 12, 16])
    process.link.pause = async (place) => {
      if (place === 'settle') world.chain.fund(payer.address, 0n)
    }
    assert.equal(await countLive(), 20)
    process.link.pause = async () => {}
    world.chain.fund(payer.address, 1_000_000n)
    assert.deepEqual([await countLive(), await countLive()], [0, 4])
    await process.gate.close()
    world.close()
  },
)

inWorld(
  'a client that disconnects while the rest waits for its settlement can fetch all of it later',
  async (world) => {
    const process = await world.startProcess()
    const { feed, payment, served } = await open(process, world.newPayer())
    giveWords(feed, 1, 20, 100)
    feed.end()
    const settling = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    process.link.pause = async (place) => {
      if (place !== 'settle') return
      settling.resolve()
      await left.promise
    }
    const reader = readerOf(await served)
    const reading = readAll(reader).catch(() => '')
    await settling.promise
    await reader.cancel()
    left.resolve()
    await reading
    await process.gate.close()
    const next = await world.startProcess()
    const again = await next.fetch(PATH, payment)
    assert.equal(receiptOf(again)?.amount, '2000')
    assert.equal(await again.text(), words(1, 20))
    assert.deepEqual([next.desk.runs, world.chain.transfers.length], [0, 1])
  },
)

for (const place of ['settle', 'sent', 'mined'] as const) {
  onEveryState(`a held text whose process dies at "${place}" is sent once it is paid`, async (state) => {
    const world = createWorld(state)
    const dying = await world.startProcess(LEASE)
    const reached = new Promise<void>((resolve) => {
      dying.link.pause = async (here) => {
        if (here === place) resolve()
      }
    })
    dying.link.dieAt = place
    const { feed, payment, served } = await open(dying, world.newPayer())
    giveWords(feed, 1, 20, 100)
    feed.end()
    void readAll(readerOf(await served)).catch(() => {})
    await reached
    const next = await world.startProcess(LEASE)
    world.pass(LEASE.leaseMs + 1)
    await next.gate.recover()
    world.pass(LEASE.resendAfterMs + 1)
    const again = await next.fetch(PATH, payment)
    assert.equal(again.status, 200)
    assert.equal(await again.text(), words(1, 20))
    assert.deepEqual([next.desk.runs, world.chain.transfers.length], [0, 1])
    world.close()
  })
}

inWorld('the stream of a new wallet that is emptied ends within a second', async (world) => {
  const process = await world.startProcess()
  const payer = world.newPayer()
  const { feed, served } = await open(process, payer)
  giveWords(feed, 1, 9, 100)
  const reader = readerOf(await served)
  await reader.read()
  world.chain.fund(payer.address, 500n)
  world.pass(1_001)
  giveWords(feed, 10, 10, 100)
  await assert.rejects(readAll(reader), /no longer covers/)
  assert.ok(feed.wasStopped)
  assert.equal(world.chain.transfers.length, 0)
  assert.ok(process.events.some(({ kind }) => kind === 'struck'))
})

inWorld('an upto stream that its authorization cuts short is not run again for free', async (world) => {
  const process = await world.startProcess()
  const feed = new Feed()
  process.desk.work = ({ signal }) => feed.answer(signal)
  // The handler stops 4 seconds before the authorization ends.
  const validBefore = Math.floor(world.now() / 1000) + 7
  const payment = await process.pay(PATH, await world.newRegular(), { scheme: 'upto', validBefore })
  const served = process.fetch(PATH, payment)
  feed.give('one', { chargeSoFar: 2_000n })
  await assert.rejects(readAll(readerOf(await served)))
  assert.equal(world.chain.transfers[0]?.amount, 2_000n)
  assert.equal((await process.fetch(PATH, payment)).status, 409)
  assert.equal(process.desk.runs, 1)
})

inWorld('a text for a new wallet ends at 4 MB', async (world) => {
  const process = await world.startProcess()
  const { feed, served } = await open(process, world.newPayer())
  const megabyte = 'x'.repeat(1024 * 1024)
  for (let at = 1; at <= 10; at += 1) feed.give(megabyte, { chargeSoFar: 1_000n })
  const text = await readAll(readerOf(await served))
  // The piece that passes the limit is the last.
  assert.equal(text.replace(RECEIPT, '').length, 5 * megabyte.length)
  assert.equal(world.chain.transfers.length, 1)
  assert.ok(feed.wasStopped)
})
