import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { sql } from 'kysely'
import type { State } from '../state/state.ts'
import { createPrepared } from './prepared.ts'
import type { Lease } from './reservation.ts'

/**
 * Micro-USDC of content that a wallet without a settled call gets before it pays. Less than it costs to move
 * the money to the next wallet: a transfer of USDC is at least 50,000 gas, and 50,000 x 0.005 gwei x 3,300
 * dollars per ETH are 825 micro-USDC.
 */
export const FIRST_ALLOWANCE: AtomicUsdc = 800n
/**
 * The part of each settled charge that is added to the allowance. Chosen: a wallet that pays for a long time
 * and then stops gets at most a tenth more than it paid for.
 */
const SETTLED_PER_ALLOWANCE = 10n

/**
 * How much of live metered answers wallets may get before these are settled, across all processes. The
 * allowance grows with each settled metered call, up to a limit, and is zero after one that did not settle.
 */
export interface LiveAllowance {
  /** Micro-USDC for one call, in addition to the maxima of the payer's other open metered calls. */
  read(lease: Lease, payer: Address): Promise<AtomicUsdc>
  grow(payer: Address, settled: AtomicUsdc): Promise<void>
  reset(payer: Address): Promise<void>
}

export function createLiveAllowance(options: {
  readonly state: State
  readonly clock: () => Date
  readonly maxAllowance: AtomicUsdc
}): LiveAllowance {
  const { state, clock, maxAllowance } = options
  const readRow = prepareAllowance(state)
  const prepared = createPrepared(state)

  return {
    read: async (lease, payer) => {
      const wallet = payer.toLowerCase()
      const [row] = await readRow([wallet, wallet, lease.id])
      if (!row) throw new Error('aggregate query returned no row')
      const left = (row.amount === null ? FIRST_ALLOWANCE : BigInt(row.amount)) - BigInt(row.held)
      return left > 0n ? left : 0n
    },
    grow: async (payer, settled) => {
      const growth = Number(settled / SETTLED_PER_ALLOWANCE)
      const wallet = payer.toLowerCase()
      const now = clock().getTime()
      const first = Math.min(Number(FIRST_ALLOWANCE) + growth, Number(maxAllowance))
      const build = () =>
        state.db
          .insertInto('live_allowance')
          .values({ payer: wallet, amount: first, changed_at: now })
          .onConflict((conflict) =>
            conflict.column('payer').doUpdateSet({
              amount: sql<number>`case when live_allowance.amount + ${growth} > ${Number(maxAllowance)}
                then ${Number(maxAllowance)} else live_allowance.amount + ${growth} end`,
              changed_at: now,
            }),
          )
      const max = Number(maxAllowance)
      // A power failure may undo it: the wallet then gets less before it pays.
      await prepared.run('grow', [wallet, first, now, growth, max, max, growth, now], build, true)
    },
    reset: async (payer) => {
      await state.db
        .insertInto('live_allowance')
        .values({ payer: payer.toLowerCase(), amount: 0, changed_at: clock().getTime() })
        .onConflict((conflict) =>
          conflict.column('payer').doUpdateSet({ amount: 0, changed_at: clock().getTime() }),
        )
        .execute()
    },
  }
}

/** SQL: what a call may cost. A running one may still cost its maximum; once it is answered, its charge is known. */
export const heldAmount = sql`case when state in ('reserved', 'streaming') then signed_amount
    else coalesce(charge, signed_amount) end`

/** Parameters: the payer twice, and the call that is excluded. */
function prepareAllowance(state: State) {
  return state.prepare<{ readonly amount: number | null; readonly held: number }>(
    'live allowance of a payer',
    (db) =>
      db
        .selectFrom('paid_call')
        .select([
          sql<number | null>`(select amount from live_allowance where payer = ${''})`.as('amount'),
          sql<number>`cast(coalesce(sum(${heldAmount}), 0) as bigint)`.as('held'),
        ])
        .where('payer', '=', '')
        .where(sql<boolean>`is_open = 1`)
        .where(sql<boolean>`scheme = 'upto'`)
        .where('id', '<>', ''),
  )
}
