import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRateLimiter } from './rate-limit.ts'

const KB = 1024
const MB = 1024 * KB

test('an unpaid request costs a token, one for each 16 kB of its body and one for each 100 ms', () => {
  const limiter = createRateLimiter(60, () => 0)
  const budget = limiter.open('192.0.2.1')
  assert.equal(budget.waitSeconds, 0)
  assert.equal(budget.addBody(160 * KB), null)
  budget.addRun(4_250)
  budget.end()
  // 60 - 1 - 160 / 16 - 42 = 7 requests are left, and a token is added each second.
  for (let left = 7; left > 0; left -= 1) assert.equal(limiter.take('192.0.2.1'), 0)
  assert.equal(limiter.take('192.0.2.1'), 1)
  assert.equal(limiter.take('192.0.2.2'), 0)
})

test('a paid request costs nothing, whatever its body and run time', () => {
  const limiter = createRateLimiter(1, () => 0)
  for (let paid = 0; paid < 10; paid += 1) {
    const budget = limiter.open('192.0.2.1')
    assert.equal(budget.waitSeconds, 0)
    budget.addBody(20 * MB)
    budget.addRun(60_000)
    budget.giveBack()
    budget.end()
  }
})

test('a client that asks for the price of each call may make any number of paid calls', () => {
  const limiter = createRateLimiter(2, () => 0)
  for (let paid = 0; paid < 10; paid += 1) {
    assert.equal(limiter.take('192.0.2.1'), 0)
    const budget = limiter.open('192.0.2.1')
    assert.equal(budget.waitSeconds, 0)
    budget.giveBack(1)
  }
  // No more than the two of the start are left.
  assert.deepEqual(
    [0, 0, 1].map(() => limiter.take('192.0.2.1') > 0),
    [false, false, true],
  )
})

test('tokens taken at the end of a request stay taken', () => {
  const limiter = createRateLimiter(1, () => 0)
  const budget = limiter.open('192.0.2.1')
  budget.end()
  budget.giveBack()
  assert.ok(limiter.take('192.0.2.1') > 0)
})

test('a client is never locked out for more than two minutes', () => {
  const limiter = createRateLimiter(60, () => 0)
  const budget = limiter.open('192.0.2.1')
  budget.addRun(3_600_000)
  budget.end()
  // From -60 to 1 at a token per second.
  assert.equal(limiter.take('192.0.2.1'), 61)
})

test('parallel large bodies are accepted up to 64 MB per client, and a single body always', () => {
  const limiter = createRateLimiter(600, () => 0)
  const open = () => limiter.open('192.0.2.1')
  const held = Array.from({ length: 4 }, open)
  assert.deepEqual(
    held.map((budget) => budget.addBody(16 * MB)),
    [null, null, null, null],
  )
  const further = open()
  assert.equal(further.addBody(16 * MB)?.code, 'rate_limited')
  held[0]?.giveBack()
  assert.equal(further.addBody(16 * MB), null)
  const alone = limiter.open('192.0.2.2')
  assert.equal(alone.addBody(100 * MB), null)
})

test('large bodies of all clients together are accepted up to 512 MB, small ones always', () => {
  const limiter = createRateLimiter(600, () => 0)
  const held = Array.from({ length: 32 }, (_, at) => limiter.open(`192.0.2.${at}`))
  for (const budget of held) assert.equal(budget.addBody(16 * MB), null)
  const further = limiter.open('198.51.100.1')
  const refused = further.addBody(MB)
  assert.deepEqual([refused?.code, refused?.retryAfterSeconds], ['unavailable', 1])
  assert.equal(further.addBody(8 * KB), null)
  held[0]?.addBody(-MB)
  assert.equal(further.addBody(MB), null)
  held[1]?.end()
  assert.equal(limiter.open('198.51.100.2').addBody(16 * MB), null)
})

test('a body that is shorter than reserved costs its actual size', () => {
  const limiter = createRateLimiter(10, () => 0)
  const budget = limiter.open('192.0.2.1')
  budget.addBody(10 * MB)
  budget.addBody(32 * KB - 10 * MB)
  budget.end()
  // 10 - 1 - 2 are left.
  for (let left = 7; left > 0; left -= 1) assert.equal(limiter.take('192.0.2.1'), 0)
  assert.notEqual(limiter.take('192.0.2.1'), 0)
})

test('a joined client is charged for the same run, and refunded with the other', () => {
  const addresses = createRateLimiter(10, () => 0)
  const payers = createRateLimiter(10, () => 0)
  const run = (isPaid: boolean) => {
    const budget = addresses.open(`192.0.2.${isPaid ? 1 : 2}`)
    budget.join(payers.open('0xaa'))
    budget.addRun(850)
    if (isPaid) budget.giveBack()
    budget.end()
  }
  for (let paid = 0; paid < 5; paid += 1) run(true)
  assert.equal(payers.take('0xaa'), 0)
  run(false)
  // 10 - 1 - 1 - 8 = 0.
  assert.ok(payers.take('0xaa') > 0)
  assert.equal(payers.take('0xbb'), 0)
})
