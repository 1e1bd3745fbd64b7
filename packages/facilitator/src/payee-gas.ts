import type { Address } from '@tollbook/chain/hex'
import { startTicker } from '@tollbook/flow/ticker'
import type { Problem } from '@tollbook/http/problem'
import { sql } from 'kysely'
import type { MinedSettlement } from './settlement/options.ts'
import type { State } from './state/state.ts'

const HOUR_MS = 60 * 60_000
/** How far the budgets of other processes, and of this one after a crash, may lag. */
const SYNC_MS = 1_000
/** Payees whose budget is in memory. */
const MAX_PAYEES = 10_000

/** Gas that the settlements of each payee used in this hour of the clock, over all processes. */
export type PayeeGas = {
  /** Whether the payee has used up its budget. */
  isSpent(payTo: Address): Promise<boolean>
  /** Shares the gas of a transaction among its payments. */
  note(mined: MinedSettlement): void
  close(): Promise<void>
}

/** @param maxGas per payee and hour; 0: no limit. */
export function createPayeeGas(options: {
  readonly state: State
  readonly maxGas: number
  readonly clock: () => Date
  readonly onError: (error: unknown) => void
}): PayeeGas {
  const { state, maxGas, clock, onError } = options
  /** Not in the rows yet. */
  let unsaved = new Map<Address, number>()
  let saving = new Map<Address, number>()
  const read = new Map<Address, { readonly gas: number; readonly until: number }>()
  const hour = () => Math.floor(clock().getTime() / HOUR_MS)

  async function save(): Promise<void> {
    if (unsaved.size === 0) return
    saving = unsaved
    unsaved = new Map()
    const now = hour()
    const rows = [...saving].map(([pay_to, gas]) => ({ pay_to, hour: now, gas }))
    try {
      await state.db
        .insertInto('payee_gas')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(['pay_to', 'hour'])
            .doUpdateSet({ gas: sql<number>`payee_gas.gas + excluded.gas` }),
        )
        .execute()
      await state.db.deleteFrom('payee_gas').where('hour', '<', now).execute()
      read.clear()
    } catch (error) {
      for (const [payTo, gas] of saving) unsaved.set(payTo, (unsaved.get(payTo) ?? 0) + gas)
      throw error
    } finally {
      saving = new Map()
    }
  }

  async function stored(payTo: Address): Promise<number> {
    const now = clock().getTime()
    const known = read.get(payTo)
    if (known && known.until > now) return known.gas
    const row = await state.db
      .selectFrom('payee_gas')
      .select('gas')
      .where('pay_to', '=', payTo)
      .where('hour', '=', hour())
      .executeTakeFirst()
    if (read.size >= MAX_PAYEES) read.clear()
    read.set(payTo, { gas: row?.gas ?? 0, until: now + SYNC_MS })
    return row?.gas ?? 0
  }

  const saver = startTicker({ work: save, everyMs: SYNC_MS, onError })
  return {
    isSpent: async (payTo) => {
      if (maxGas === 0) return false
      const own = (unsaved.get(payTo) ?? 0) + (saving.get(payTo) ?? 0)
      return own + (await stored(payTo)) >= maxGas
    },
    note({ payments, gasUsed }) {
      if (maxGas === 0) return
      const share = Math.ceil(Number(gasUsed) / Math.max(1, payments.length))
      for (const { payTo } of payments) unsaved.set(payTo, (unsaved.get(payTo) ?? 0) + share)
    },
    async close() {
      await saver.stop()
      await save().catch(onError)
    },
  }
}

/** The refusal of a payee that has used up its budget. */
export const GAS_SPENT: Problem = {
  code: 'rate_limited',
  detail: 'The settlements of this payee have used up their gas for this hour.',
  retryAfterSeconds: 600,
  members: { reason: 'payee_gas_spent' },
}
