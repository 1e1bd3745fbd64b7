import assert from 'node:assert/strict'
import { bytes } from '@tollbook/endpoints/answer'
import { ProblemError } from '@tollbook/http/problem'
import { Feed } from '@tollbook/testing/payments/feed'
import { codeOf, inWorld } from '@tollbook/testing/payments/gate-world'

const PATH = '/api/say'
const READ = '/api/say?word=hi'
const REFUSAL = { code: 'cannot_be_served', detail: 'The page is image/png.' } as const

/** A body that records whether it was read. */
function watchedBody() {
  const watched = { isRead: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        watched.isRead = true
        controller.enqueue(Buffer.from('{"word":"hi"}'))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const init = (headers: Record<string, string>) =>
    ({
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    }) as RequestInit
  return { watched, init }
}

inWorld(
  'the body of a request with an expired payment is not read, unless the payment bought something',
  async (world) => {
    const { fetch, pay } = await world.startProcess()
    const { headers } = await pay(READ, world.newPayer())
    assert.equal((await fetch(READ, { headers })).status, 200)
    const unused = await pay(READ, world.newPayer())
    world.pass(301_000)
    const late = watchedBody()
    const refused = await fetch(PATH, late.init(unused.headers))
    assert.equal(await codeOf(refused), 'payment_expired')
    assert.equal(late.watched.isRead, false)
    const again = watchedBody()
    assert.equal((await fetch(PATH, again.init(headers))).status, 200)
    assert.equal(again.watched.isRead, true)
  },
)

inWorld('the body is not read while the endpoint cannot be sold', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const { headers } = await pay(READ, world.newPayer())
  desk.availability.isAvailable = false
  const { watched, init } = watchedBody()
  assert.equal(await codeOf(await fetch(PATH, init(headers))), 'not_configured')
  assert.equal(watched.isRead, false)
})

inWorld('arguments are validated before a contract is asked for its signature', async (world) => {
  const { fetch, pay, link } = await world.startProcess()
  const payer = world.newPayer()
  world.chain.contracts.add(payer.address.toLowerCase())
  const signedByContract = { tamper: (payload: object) => ({ ...payload, payload: unsigned(payload) }) }
  const { headers } = await pay(READ, payer, signedByContract as never)
  assert.equal(await codeOf(await fetch(`${READ}&wrod=a`, { headers })), 'unknown_parameter')
  assert.equal(link.verifications, 0)
  assert.equal((await fetch(READ, { headers })).status, 200)
})

inWorld('a run that was not charged counts against its address by its duration', async (world) => {
  // 100 tokens: two challenges, and a run of 9.8 seconds.
  const { fetch, pay, desk } = await world.startProcess({}, 100)
  const [first, second] = [await pay(READ, world.newPayer()), await pay(READ, world.newPayer(0n))]
  desk.work = () => {
    world.pass(9_800)
    throw new ProblemError(REFUSAL)
  }
  assert.equal(await codeOf(await fetch(READ, first)), 'cannot_be_served')
  assert.equal(await codeOf(await fetch(READ, second)), 'rate_limited')
  assert.equal(desk.runs, 1)
})

inWorld('a charged run counts against nobody', async (world) => {
  const { fetch, pay, desk } = await world.startProcess({}, 5)
  const payments = [await pay(READ, world.newPayer()), await pay(READ, world.newPayer())]
  desk.work = () => {
    world.pass(9_800)
    return bytes(Buffer.from('a'), 'text/plain')
  }
  for (const payment of payments) assert.equal((await fetch(READ, payment)).status, 200)
})

inWorld('a metered stream counts against its address until it has settled', async (world) => {
  const path = '/api/metered?word=hi'
  // Two challenges, two payments, and one more request.
  const process = await world.startProcess({}, 5)
  const payers = [world.newPayer(), world.newPayer()]
  const payments = []
  for (const payer of payers) payments.push(await process.pay(path, payer, { scheme: 'upto' }))
  const streams: Response[] = []
  for (const payment of payments) {
    const feed = new Feed()
    process.desk.work = ({ signal }) => feed.answer(signal)
    const served = process.fetch(path, payment)
    feed.give('one', { chargeSoFar: 100n })
    feed.end()
    streams.push(await served)
  }
  assert.deepEqual(
    streams.map(({ status }) => status),
    [200, 200],
  )
  // One of the reserve, too.
  for (const status of [402, 402, 429]) assert.equal((await process.fetch(path)).status, status)
  await streams[0]?.text()
  // It gives back its own request, and that of its challenge.
  assert.equal((await process.fetch(path)).status, 402)
  assert.equal((await process.fetch(path)).status, 402)
  // The second does not settle, and stays unpaid.
  world.chain.fund(payers[1]?.address ?? '', 0n)
  await assert.rejects(async () => streams[1]?.text())
  assert.equal((await process.fetch(path)).status, 429)
})

function unsigned(payload: object): object {
  const { authorization } = (payload as { payload: { authorization: object } }).payload
  // Not 65 bytes: not the signature of a key.
  return { authorization, signature: `0x${'ab'.repeat(80)}` }
}
