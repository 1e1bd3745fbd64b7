import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { BASE } from '@tollbook/chain/network'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { sql } from 'kysely'
import type { OfferedPayment } from '../payment.ts'
import type { State } from '../state/state.ts'
import { CallRows } from './call-rows.ts'
import { createOwner } from './owners.ts'
import type { Lease, Reservation } from './reservation.ts'

const LEASE_MS = 10_000
const HASH = `0x${'ab'.repeat(32)}` as const
const ANSWER = { status: 200, headers: {}, body: new Uint8Array([1]), file: null }
const SETTLED = { transaction: HASH, amount: 10n, settledAt: 1, state: 'settled', keepsOwner: false } as const

async function open(state: State, clock: () => Date) {
  const leaseTime = () => sql<number>`cast(${clock().getTime()} as bigint)`
  const owner = await createOwner({ state, leaseMs: LEASE_MS, leaseTime })
  return { owner, calls: new CallRows({ state, owner, clock }) }
}

function newReservation(): Reservation {
  const payment: OfferedPayment = {
    scheme: 'exact',
    terms: {
      scheme: 'exact',
      network: BASE.id,
      amount: '10',
      asset: BASE.usdc,
      payTo: '0x00000000000000000000000000000000000000bb',
      maxTimeoutSeconds: 60,
      extra: {},
    },
    payload: {},
    payer: '0x00000000000000000000000000000000000000aa',
    payTo: '0x00000000000000000000000000000000000000bb',
    signedAmount: 10n,
    nonce: `0x${randomBytes(32).toString('hex')}`,
    validAfter: 0,
    validBefore: Math.floor(Date.now() / 1000) + 60,
    signature: '0x00',
  }
  const id = randomBytes(16).toString('hex')
  const fixed = { service: 'utility', endpoint: 'say', scope: 'public', fingerprint: 'f' } as const
  return { ...fixed, id, payment, identifier: null }
}

function held(lease: Lease | null): Lease {
  assert.ok(lease)
  return lease
}

onEveryState('of many concurrent reservations of one authorization, one succeeds', async (state) => {
  const { calls, owner } = await open(state, () => new Date())
  const reservation = newReservation()
  const leases = await Promise.all(Array.from({ length: 20 }, () => calls.reserve(reservation)))
  assert.equal(leases.filter((lease) => lease !== null).length, 1)
  owner.release(held(leases.find((lease) => lease !== null) ?? null).token)
  await owner.drained()
})

onEveryState('a row only moves from the states that its transition allows', async (state) => {
  const { calls } = await open(state, () => new Date())
  const reservation = newReservation()
  const lease = held(await calls.reserve(reservation))
  assert.equal(await calls.settling(lease, HASH), false, 'no transaction before the answer is stored')
  assert.equal(await calls.settled(lease, SETTLED), false)
  assert.equal(await calls.checkpoint(lease, 1n, 1), false)
  assert.equal(await calls.deliver(lease, 10n, ANSWER), true)
  assert.equal(await calls.deliver(lease, 10n, ANSWER), false)
  assert.equal(await calls.beginStream(lease, 10n), false)
  assert.equal(await calls.settling(lease, HASH), true)
  assert.equal(await calls.abandon(lease, 0), false)
  assert.equal(await calls.settled(lease, SETTLED), true)
  assert.equal(await calls.settled(lease, SETTLED), false)
  assert.equal(await calls.release(lease, 'late', true), false, 'a settled row is never released')
  assert.equal(await calls.unknown(lease, 'late', 0), false)
  const row = await calls.find(reservation.id)
  assert.deepEqual([row?.state, row?.tx_hash, row?.charge, row?.offer], ['settled', HASH, 10, null])
})

onEveryState(
  'a row is taken only when the lease of its process has expired, and by one process',
  async (state) => {
    let now = Date.now()
    const clock = () => new Date(now)
    const first = await open(state, clock)
    const others = await Promise.all(Array.from({ length: 4 }, () => open(state, clock)))
    const reservation = newReservation()
    const lease = held(await first.calls.reserve(reservation))
    const [second] = others
    const early = await second?.calls.find(reservation.id)
    assert.ok(early?.isWorkedOn)
    assert.equal(await second?.calls.take(early), null)

    now += LEASE_MS + 1
    for (const { owner } of others) await owner.renew()
    const row = await second?.calls.find(reservation.id)
    assert.ok(row && !row.isWorkedOn)
    const taken = await Promise.all(others.map(({ calls }) => calls.take(row)))
    assert.equal(taken.filter((other) => other !== null).length, 1)
    assert.equal(await first.calls.deliver(lease, 10n, ANSWER), false, 'the first has lost its lease')
  },
)

onEveryState('a process whose clock is 40 seconds ahead takes no row of a live process', async (state, t) => {
  const openHere = async () => {
    const owner = await createOwner({ state, leaseMs: LEASE_MS })
    return { owner, calls: new CallRows({ state, owner, clock: () => new Date() }) }
  }
  const first = await openHere()
  const reservation = newReservation()
  held(await first.calls.reserve(reservation))
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 40_000 })
  const ahead = await openHere()
  const row = await ahead.calls.find(reservation.id)
  assert.ok(row?.isWorkedOn)
  assert.equal(await ahead.calls.take(row), null)
})

onEveryState('a released row is reserved again until it had three runs', async (state) => {
  const { calls } = await open(state, () => new Date())
  const reservation = newReservation()
  let lease = await calls.reserve(reservation)
  // A run that never began does not count.
  assert.ok(await calls.release(held(lease), 'payment_insufficient', false))
  for (let runs = 1; runs <= 3; runs += 1) {
    const row = await calls.find(reservation.id)
    lease = row && (await calls.reserveAgain(row, reservation))
    assert.ok(await calls.release(held(lease), 'refused', true), `run ${runs}`)
  }
  const row = await calls.find(reservation.id)
  assert.equal(row?.runs, 3)
  assert.equal(row && (await calls.reserveAgain(row, reservation)), null)
})
