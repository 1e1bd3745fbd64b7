import assert from 'node:assert/strict'
import { json } from '@tollbook/endpoints/answer'
import { ProblemError } from '@tollbook/http/problem'
import { codeOf, inWorld } from '@tollbook/testing/payments/gate-world'

inWorld(
  'a problem returned by the handler is not charged, and its payment may be used again',
  async (world) => {
    const { fetch, pay, desk } = await world.startProcess()
    const { work } = desk
    desk.work = () => {
      throw new ProblemError({ code: 'cannot_be_served', detail: 'No such word.' })
    }
    const payment = await pay('/api/say?word=hi', world.newPayer())
    const refused = await fetch('/api/say?word=hi', payment)
    assert.equal(refused.status, 422)
    assert.equal(refused.headers.get('payment-response'), null)
    assert.equal(world.chain.transfers.length, 0)
    desk.work = work
    assert.equal((await fetch('/api/say?word=ho', payment)).status, 200)
    assert.equal(world.chain.transfers.length, 1)
  },
)

inWorld('a handler that throws is a 500 without details, and runs at most three times', async (world) => {
  const { fetch, pay, desk, log } = await world.startProcess()
  desk.work = () => {
    throw new Error('secret of the handler')
  }
  const payment = await pay('/api/say?word=hi', world.newPayer())
  const statuses: number[] = []
  for (let tries = 0; tries < 5; tries += 1) {
    const response = await fetch('/api/say?word=hi', payment)
    statuses.push(response.status)
    assert.ok(!(await response.text()).includes('secret'))
  }
  assert.deepEqual(statuses, [500, 500, 500, 409, 409])
  assert.equal(desk.runs, 3)
  assert.equal(world.chain.transfers.length, 0)
  assert.ok(log.some((line) => line.includes('paid handler failed')))
})

inWorld(
  'a handler whose change does not fit on the disk of the database is an uncharged 503',
  async (world) => {
    const { fetch, pay, desk } = await world.startProcess()
    desk.work = () => {
      const message = 'could not extend file "base/16384/16396": No space left on device'
      throw Object.assign(new Error(message), { code: '53100' })
    }
    const response = await fetch('/api/say?word=hi', await pay('/api/say?word=hi', world.newPayer()))
    assert.equal(response.status, 503)
    assert.equal(response.headers.get('retry-after'), '30')
    assert.equal(world.chain.transfers.length, 0)
    // Nobody is asked to sign while the disk is full.
    assert.equal((await fetch('/api/say?word=hi')).status, 503)
  },
)

inWorld('a refusal or failure whose message speaks of a full disk does not stop the sales', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const payment = await pay('/api/say?word=hi', world.newPayer())
  const words = 'Code: 243. No space left on device, errno: 28, Disk quota exceeded'
  const failures = [
    { error: new ProblemError({ code: 'cannot_be_served', detail: words }), status: 422 },
    { error: new Error(words), status: 500 },
  ]
  for (const { error, status } of failures) {
    desk.work = () => {
      throw error
    }
    assert.equal((await fetch('/api/say?word=hi', payment)).status, status)
    assert.equal((await fetch('/api/say?word=hi')).status, 402)
  }
})

inWorld('a handler that takes too long is an uncharged 504', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  desk.work = () => new Promise(() => {})
  const response = await fetch('/api/quick?word=hi', await pay('/api/quick?word=hi', world.newPayer()))
  assert.equal(response.status, 504)
  assert.equal(world.chain.transfers.length, 0)
})

inWorld('a client that disconnects while the handler runs stops it and is not charged', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const leave = new AbortController()
  let wasStopped = false
  desk.work = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        wasStopped = true
        reject(signal.reason)
      })
      leave.abort()
    })
  const payment = await pay('/api/say?word=hi', world.newPayer())
  const response = await fetch('/api/say?word=hi', { ...payment, signal: leave.signal })
  assert.equal(response.status, 499)
  assert.equal(wasStopped, true)
  assert.equal(world.chain.transfers.length, 0)
})

inWorld(
  'a client that has disconnected when the answer is ready is charged only when it retries',
  async (world) => {
    const { fetch, pay, desk } = await world.startProcess()
    const leave = new AbortController()
    const path = '/api/say?word=hi'
    const payment = await pay(path, world.newPayer())
    // The answer is complete before the abort is seen: the gate reads its body when it stores it.
    const toJSON = () => {
      leave.abort()
      return { word: 'hi' }
    }
    desk.work = () => json({ word: 'hi', toJSON })
    assert.equal((await fetch(path, { ...payment, signal: leave.signal })).status, 499)
    assert.equal(world.chain.transfers.length, 0)
    const again = await fetch(path, payment)
    assert.deepEqual(await again.json(), { word: 'hi' })
    assert.equal(desk.runs, 1)
    assert.equal(world.chain.transfers.length, 1)
  },
)

inWorld('an answer with invalid headers is not charged', async (world) => {
  const process = await world.startProcess()
  process.desk.work = ({ input }) => json({ word: input.word }, { headers: { 'x-voice': 'piper.голос' } })
  const payment = await process.pay('/api/say?word=hi', world.newPayer())
  const response = await process.fetch('/api/say?word=hi', payment)
  assert.equal(response.status, 500)
  assert.equal(await codeOf(response), 'internal')
  assert.equal(world.chain.transfers.length, 0)
})

inWorld(
  'the id of a call reveals nothing of its payment, and is the same for its retry at any process',
  async (world) => {
    const ids: string[] = []
    const payer = world.newPayer()
    const nonce = `0x${'7c'.repeat(32)}` as const
    const processes = [await world.startProcess(), await world.startProcess()]
    const payment = await processes[0]?.pay('/api/say?word=hi', payer, { nonce })
    for (const { desk, fetch } of processes) {
      desk.work = ({ callId }) => {
        ids.push(callId)
        throw new ProblemError({ code: 'cannot_be_served', detail: 'Not now.' })
      }
      assert.equal((await fetch('/api/say?word=hi', payment)).status, 422)
    }
    assert.equal(ids.length, 2)
    assert.equal(ids[0], ids[1])
    assert.match(ids[0] ?? '', /^[0-9a-f]{32}$/)
    for (const part of [payer.address.slice(2), nonce.slice(2)])
      assert.ok(!(ids[0] ?? '').includes(part.toLowerCase().slice(0, 8)))
  },
)
