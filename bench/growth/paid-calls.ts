import { randomBytes } from 'node:crypto'
import type { Hex } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import type { State } from '@tollbook/cli/commands/state/state'
import { CallRows } from '@tollbook/gate/calls/call-rows'
import { Exposure } from '@tollbook/gate/calls/exposure'
import { createOwner } from '@tollbook/gate/calls/owners'
import { createPayerCredit } from '@tollbook/gate/calls/payer-credit'
import type { Reservation } from '@tollbook/gate/calls/reservation'
import type { OfferedPayment } from '@tollbook/gate/payment'

const AT_ONCE = 16
const ANSWER = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: randomBytes(500),
  file: null,
}
const LEASE_MS = 600_000

/** Milliseconds that the table of calls took of each call, and of its slowest single statement. */
export type CallTimes = {
  readonly calls: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly worstMs: number
}

/**
 * Makes the statements of paid calls that settle, 16 calls at a time, until a promise resolves.
 * @param everyMs interval at which each of them begins calls; 0: at once after the last
 */
export async function runPaidCalls(state: State, until: Promise<unknown>, everyMs = 0): Promise<CallTimes> {
  const clock = () => new Date()
  const owner = await createOwner({ state, leaseMs: LEASE_MS })
  const calls = new CallRows({ state, owner, clock })
  const unread = () => Promise.reject(new Error('a payer with one call needs no chain'))
  const exposure = new Exposure({
    state,
    chainReader: { balanceOf: unread, allowanceOf: unread },
    credit: createPayerCredit({ state, barMs: 0, clock }),
    limits: { callsPerPayer: 10, unsettledUpto: 1_000_000n, strikes: 3, strikeMs: 3_600_000 },
    clock,
  })
  const { signal } = new AbortController()
  const times: number[] = []
  let isOver = false
  const stop = until.finally(() => {
    isOver = true
  })
  async function call(): Promise<void> {
    const reservation = newReservation()
    await calls.find(reservation.id)
    const claim = await calls.reserve(reservation)
    if (!claim) throw new Error('a new authorization was not reserved')
    const refused = await exposure.check(claim, reservation.payment, signal)
    if (refused) throw new Error(refused.detail ?? refused.code)
    const transaction: Hex = `0x${randomBytes(32).toString('hex')}`
    const settled = { transaction, amount: 10_000n, settledAt: Date.now(), keepsOwner: false } as const
    const isMoved = [
      await calls.deliver(claim, 10_000n, ANSWER),
      await calls.settling(claim, transaction),
      await calls.settled(claim, { ...settled, state: 'settled' }),
    ]
    if (isMoved.includes(false)) throw new Error('a call was not moved on')
    owner.release(claim.token)
  }
  async function work(at: number): Promise<void> {
    let nextMs = performance.now() + (everyMs * at) / AT_ONCE
    while (!isOver) {
      const waitMs = nextMs - performance.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      // From when the call was due, so that a pause counts for every call that it delays.
      const sinceMs = everyMs === 0 ? performance.now() : nextMs
      await call()
      times.push(performance.now() - sinceMs)
      nextMs += everyMs
    }
  }
  await Promise.all([stop, ...Array.from({ length: AT_ONCE }, (_, at) => work(at))])
  await owner.resign()
  times.sort((a, b) => a - b)
  const at = (share: number) => Number((times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(2))
  return { calls: times.length, p50Ms: at(0.5), p99Ms: at(0.99), worstMs: at(1 - 1 / times.length) }
}

function newReservation(): Reservation {
  const payment: OfferedPayment = {
    scheme: 'exact',
    terms: {
      scheme: 'exact',
      network: BASE.id,
      amount: '10000',
      asset: BASE.usdc,
      payTo: '0x00000000000000000000000000000000000000bb',
      maxTimeoutSeconds: 60,
      extra: { name: 'USD Coin', version: '2' },
    },
    payload: {},
    payer: `0x${randomBytes(20).toString('hex')}`,
    payTo: '0x00000000000000000000000000000000000000bb',
    signedAmount: 10_000n,
    nonce: `0x${randomBytes(32).toString('hex')}`,
    validAfter: 0,
    validBefore: Math.floor(Date.now() / 1000) + 60,
    signature: `0x${randomBytes(65).toString('hex')}`,
  }
  return {
    id: randomBytes(32).toString('hex'),
    payment,
    identifier: null,
    service: 'utility',
    endpoint: 'say',
    scope: 'public',
    fingerprint: randomBytes(32).toString('hex'),
  }
}
