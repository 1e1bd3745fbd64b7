import assert from 'node:assert/strict'
import { ProblemError } from '@tollbook/http/problem'
import { codeOf, inWorld } from '@tollbook/testing/payments/gate-world'
import fc from 'fast-check'

const READ = '/api/say?word=hi'
const PER_MINUTE = 40
/** A tenth of it. */
const RESERVE = 4

/** What budgets have gained since then, at most: they go by the time of the machine. */
const gainedSince = (startMs: number) =>
  Math.ceil(((performance.now() - startMs) / 60_000) * (PER_MINUTE + 2 * RESERVE))

inWorld('an address whose budget is used up still buys, and forged payments get nothing', async (world) => {
  const startMs = performance.now()
  const { fetch, pay, desk, link } = await world.startProcess({}, PER_MINUTE)
  const [honest, refused] = [world.newPayer(2_000_000n), world.newPayer()]
  const { work } = desk
  const payment = await pay(READ, refused)
  desk.work = () => {
    world.pass(9_800)
    throw new ProblemError({ code: 'cannot_be_served', detail: 'No.' })
  }
  // A run that was not charged: 98 tokens.
  assert.equal(await codeOf(await fetch(READ, payment)), 'cannot_be_served')
  desk.work = work
  for (let call = 0; call < 3 * PER_MINUTE; call += 1)
    assert.equal((await fetch(READ, await pay(READ, honest))).status, 200, `call ${call}`)

  const forged = await Promise.all(Array.from({ length: 3 }, () => pay(READ, world.newPayer(0n))))
  const before = { runs: desk.runs, verifications: link.verifications }
  for (let call = 0; call < 20; call += 1)
    assert.equal(await codeOf(await fetch(READ, forged[call % 3])), 'rate_limited')
  assert.equal(desk.runs, before.runs)
  const verified = link.verifications - before.verifications
  assert.ok(verified >= 1 && verified <= RESERVE + gainedSince(startMs), `${verified} verified`)
})

inWorld('whatever an address presents, its refused calls are no more than its two budgets', async (world) => {
  const kinds = ['broke', 'tampered', 'refused'] as const
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { minLength: 60, maxLength: 90 }), async (calls) => {
      const startMs = performance.now()
      const { fetch, pay, desk, link } = await world.startProcess({}, PER_MINUTE)
      desk.work = () => {
        throw new ProblemError({ code: 'cannot_be_served', detail: 'No.' })
      }
      const broke = await pay(READ, world.newPayer(0n))
      const tampered = await pay(READ, world.newPayer(), {
        tamper: (payload: object) => ({ ...payload, payload: unsigned(payload) }),
      } as never)
      const before = link.verifications
      for (const kind of calls) {
        // Each refused call has a funded wallet of its own.
        const payment = kind === 'refused' ? await pay(READ, world.newPayer()) : { broke, tampered }[kind]
        await fetch(READ, payment, '192.0.2.9')
      }
      // A call of the reserve is verified twice, once before its arguments are read.
      const gained = gainedSince(startMs)
      assert.ok(desk.runs <= PER_MINUTE + RESERVE + gained, `${desk.runs} runs`)
      const checks = link.verifications - before
      assert.ok(checks <= PER_MINUTE + 2 * RESERVE + 2 * gained, `${checks} checks`)
    }),
    { numRuns: 5 },
  )
})

function unsigned(payload: object): object {
  const { authorization } = (payload as { payload: { authorization: object } }).payload
  return { authorization, signature: `0x${'ab'.repeat(65)}` }
}
