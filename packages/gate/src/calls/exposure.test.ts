import assert from 'node:assert/strict'
import { codeOf, inWorld } from '@tollbook/testing/payments/gate-world'

const PATH = '/api/say?word=hi'
inWorld(
  'one more open upto maximum than the balance covers is refused before its handler runs',
  async (world) => {
    const process = await world.startProcess()
    const path = '/api/metered?word=hi'
    // 0.12 USD cover two maxima of 0.05 USD, but not three.
    const payer = world.newPayer(120_000n)
    const payments = await Promise.all(
      Array.from({ length: 3 }, () => process.pay(path, payer, { scheme: 'upto' })),
    )
    let open = () => {}
    const gateway = new Promise<void>((resolve) => {
      open = resolve
    })
    let waiting = 0
    let bothRun = () => {}
    const areRunning = new Promise<void>((resolve) => {
      bothRun = resolve
    })
    process.link.pause = async (place) => {
      if (place !== 'handler') return
      waiting += 1
      if (waiting === 2) bothRun()
      await gateway
    }
    const served = payments.slice(0, 2).map((payment) => process.fetch(path, payment))
    await areRunning
    const third = await process.fetch(path, payments[2])
    assert.equal(third.status, 402)
    assert.equal(await codeOf(third), 'payment_insufficient')
    open()
    assert.deepEqual(
      (await Promise.all(served)).map((response) => response.status),
      [200, 200],
    )
    assert.equal(
      (await process.fetch(path, payments[2])).status,
      200,
      'the first two cost their minimum only',
    )
  },
)

inWorld('calls of one payer beyond its limit are refused, those of others are not', async (world) => {
  const process = await world.startProcess({ callsPerPayer: 2 })
  const payer = world.newPayer()
  const payments = await Promise.all(Array.from({ length: 3 }, () => process.pay(PATH, payer)))
  const other = await process.pay(PATH, world.newPayer())
  let open = () => {}
  const gateway = new Promise<void>((resolve) => {
    open = resolve
  })
  let running = 0
  let bothRun = () => {}
  const areRunning = new Promise<void>((resolve) => {
    bothRun = resolve
  })
  process.desk.work = async () => {
    running += 1
    if (running === 2) bothRun()
    if (running <= 2) await gateway
    return { kind: 'json', body: { word: 'hi' }, status: 200, headers: {} }
  }
  const served = payments.slice(0, 2).map((payment) => process.fetch(PATH, payment))
  await areRunning
  const third = await process.fetch(PATH, payments[2])
  assert.equal(third.status, 429)
  assert.equal(third.headers.get('retry-after'), '1')
  assert.equal((await process.fetch(PATH, other)).status, 200)
  open()
  await Promise.all(served)
  assert.equal((await process.fetch(PATH, payments[2])).status, 200)
})

inWorld('many concurrent calls that a balance just covers are all served', async (world) => {
  const process = await world.startProcess()
  const payer = world.newPayer(80_000n)
  const payments = await Promise.all(Array.from({ length: 8 }, () => process.pay(PATH, payer)))
  const responses = await Promise.all(payments.map((payment) => process.fetch(PATH, payment)))
  assert.deepEqual(
    responses.map((response) => response.status),
    Array(8).fill(200),
  )
  assert.equal(world.chain.balanceOf(payer.address), 0n)
})

inWorld('unsettled metered calls of one payer are limited in total, a single one is not', async (world) => {
  // The maximum of a call is 0.05 dollars: two fit within 0.1, none within 0.01.
  for (const [unsettledUpto, most] of [
    [100_000n, 2],
    [10_000n, 1],
  ] as const) {
    const process = await world.startProcess({ unsettledUpto })
    const path = '/api/metered?word=hi'
    const payer = world.newPayer()
    const gateway = Promise.withResolvers<void>()
    const areRunning = Promise.withResolvers<void>()
    let running = 0
    process.link.pause = async (place) => {
      if (place !== 'handler') return
      running += 1
      if (running === most) areRunning.resolve()
      await gateway.promise
    }
    const pay = () => process.pay(path, payer, { scheme: 'upto' })
    const served = await Promise.all(Array.from({ length: most }, pay))
    const answers = served.map((payment) => process.fetch(path, payment))
    await areRunning.promise
    const further = await pay()
    const refused = await process.fetch(path, further)
    assert.deepEqual([refused.status, await codeOf(refused)], [429, 'rate_limited'])
    // Under exact nothing is delivered unsettled.
    const other = process.fetch(path, await process.pay(path, payer, { scheme: 'exact' }))
    gateway.resolve()
    for (const answer of [...answers, other]) assert.equal((await answer).status, 200)
    assert.equal((await process.fetch(path, further)).status, 200)
  }
})
