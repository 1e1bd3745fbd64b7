import { randomUUID } from 'node:crypto'
import { databaseTime, later, type SqlTime } from '@tollbook/store/database-time'
import type { State } from '../state/state.ts'
import type { RowKind } from './row-kind.ts'

/** This process as an owner of rows: one lease for all of them, renewed by the heartbeat. */
export interface Owner {
  readonly id: string
  readonly kind: RowKind
  /** The clock for leases. */
  leaseTime(): SqlTime
  /** A unique lease token. */
  newLease(): string
  /** Whether a task of this process still works under the lease. */
  isActive(lease: string): boolean
  /** Ends the task; the recovery handles what it left open. */
  release(lease: string): void
  /** Extends the lease; also restores it for a process that was suspended for too long. */
  renew(): Promise<void>
  /** Resolves when no task is active any more. */
  drained(): Promise<void>
  /** Gives up the lease, so that others need not wait until it expires. */
  resign(): Promise<void>
}

export async function createOwner(options: {
  readonly state: State
  readonly leaseMs: number
  /** Default: sales. */
  readonly kind?: RowKind | undefined
  /** Defaults to the database's. */
  readonly leaseTime?: (() => SqlTime) | undefined
}): Promise<Owner> {
  const { state, leaseMs, kind = 'sales', leaseTime = () => databaseTime(state) } = options
  const id = randomUUID()
  const active = new Set<string>()
  let counter = 0
  let whenDrained: (() => void)[] = []

  async function renew(): Promise<void> {
    const leaseUntil = later(leaseTime(), leaseMs)
    await state.db
      .insertInto('payment_owner')
      .values({ id, lease_until: leaseUntil })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ lease_until: leaseUntil }))
      .execute()
  }

  await renew()
  return {
    id,
    kind,
    leaseTime,
    renew,
    newLease: () => {
      counter += 1
      const lease = `${id}/${counter}`
      active.add(lease)
      return lease
    },
    isActive: (lease) => active.has(lease),
    release: (lease) => {
      active.delete(lease)
      if (active.size > 0) return
      for (const resolve of whenDrained) resolve()
      whenDrained = []
    },
    drained: () =>
      active.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => whenDrained.push(resolve)),
    resign: async () => {
      await state.db.deleteFrom('payment_owner').where('id', '=', id).execute()
    },
  }
}
