import { bytesToHex, type Hex } from '@tollbook/chain/hex'
import { keccak } from '@tollbook/chain/keccak'
import type { SentPayment } from '@tollbook/gate/payment'
import type { SignerTransactionTable } from '@tollbook/gate/state/signer-tables'
import type { State } from '@tollbook/gate/state/state'
import { isUniqueConflict } from '@tollbook/store/conflict'
import { databaseTime, later } from '@tollbook/store/database-time'
import { sql } from 'kysely'

/** Processes that take a nonce of one wallet at the same moment retry until each has its own. */
const MAX_CONFLICTS = 200
/** How long rows of used nonces are stored, in case a short reorganisation removes their transactions. */
const KEPT_MS = 10 * 60_000

export type SignerRow = Omit<SignerTransactionTable, 'raw'> & { readonly raw: Hex | null }

/** The account nonces of one wallet, shared by all processes through the state store. */
export type NonceStore = {
  /** Takes the next nonce; `atLeast` is the chain's transaction count. */
  take(atLeast: number): Promise<number>
  /**
   * Stores what is about to be sent under a nonce; repeatable. False if another process has taken the row, or if it is
   * too late: `until` is in epoch milliseconds of the database.
   */
  approve(nonce: number, raw: Hex, payments: readonly string[], until?: number | undefined): Promise<boolean>
  /** Replaces what is sent under a nonce, as `approve` does; keeps the lease. */
  replace(nonce: number, raw: Hex): Promise<boolean>
  /** Abandons a nonce under which nothing will be sent, so that it is filled at once. */
  abandon(nonce: number): Promise<void>
  /** Takes over rows at or above the chain's count whose lease has expired. */
  leaseStale(count: number): Promise<readonly SignerRow[]>
  /** Whether a transaction that carries the payment may still be mined. */
  mayStillSettle(payment: SentPayment, count: number): Promise<boolean>
  /** Hashes of the stored transactions that carry the payment; of those with a raised fee, the last one. */
  readHashes(payment: SentPayment): Promise<readonly Hex[]>
  /** Deletes rows of nonces that the chain has long counted. */
  forget(count: number): Promise<void>
}

/** The name of a payment in the rows. */
export function paymentName(payment: SentPayment): string {
  return `${payment.payer}:${payment.nonce}`
}

export function createNonceStore(
  state: State,
  identity: { readonly signer: string; readonly owner: string; readonly leaseMs: number },
): NonceStore {
  const { db } = state
  const { signer, owner, leaseMs } = identity
  const now = () => databaseTime(state)
  const leaseEnd = () => later(now(), leaseMs)
  const mine = (nonce: number) =>
    db
      .updateTable('signer_transaction')
      .where('signer', '=', signer)
      .where('nonce', '=', nonce)
      .where('owner', '=', owner)

  const carrying = (payment: SentPayment) =>
    db
      .selectFrom('signer_transaction')
      .where('signer', '=', signer)
      .where('payments', 'like', `%${paymentName(payment)}%`)

  const takeOnce = async (atLeast: number): Promise<number> => {
    // One statement: it is atomic, and on SQLite shares its fsync with others.
    const inserted = await sql<{ nonce: number }>`
      insert into signer_transaction (signer, nonce, state, payments, owner, lease_until, created_at)
      select cast(${signer} as text),
        case when coalesce(max(nonce) + 1, 0) > cast(${atLeast} as bigint)
          then coalesce(max(nonce) + 1, 0) else cast(${atLeast} as bigint) end,
        'taken', '', cast(${owner} as text), ${leaseEnd()}, ${now()}
      from signer_transaction where signer = ${signer}
      returning nonce`.execute(db)
    const nonce = inserted.rows[0]?.nonce
    if (nonce === undefined) throw new Error('no account nonce was returned')
    return nonce
  }

  return {
    async take(atLeast) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await takeOnce(atLeast)
        } catch (error) {
          if (!isUniqueConflict(error) || attempt === MAX_CONFLICTS) throw error
        }
      }
    },
    async approve(nonce, raw, payments, until) {
      const result = await mine(nonce)
        .$if(until !== undefined, (query) => query.where(now(), '<', Number(until)))
        .where(({ eb, or }) => or([eb('state', '=', 'taken'), eb('raw', '=', raw)]))
        .set({ state: 'approved', raw, payments: payments.join('\n'), lease_until: leaseEnd() })
        .executeTakeFirst()
      return result.numUpdatedRows === 1n
    },
    async replace(nonce, raw) {
      const result = await mine(nonce)
        .set({ state: 'approved', raw, lease_until: leaseEnd() })
        .executeTakeFirst()
      return result.numUpdatedRows === 1n
    },
    async abandon(nonce) {
      await mine(nonce).where('state', '=', 'taken').set({ lease_until: 0 }).execute()
    },
    async leaseStale(count) {
      const rows = await db
        .updateTable('signer_transaction')
        .where('signer', '=', signer)
        .where('nonce', '>=', count)
        .where('lease_until', '<', now())
        .set({ owner, lease_until: leaseEnd() })
        .returningAll()
        .execute()
      return rows
        .toSorted((one, other) => one.nonce - other.nonce)
        .map((row) => ({ ...row, raw: row.raw as Hex | null }))
    },
    async mayStillSettle(payment, count) {
      const row = await carrying(payment).where('nonce', '>=', count).select('nonce').executeTakeFirst()
      return row !== undefined
    },
    async readHashes(payment) {
      const rows = await carrying(payment).select('raw').execute()
      return rows.flatMap(({ raw }) => (raw ? [bytesToHex(keccak(Buffer.from(raw.slice(2), 'hex')))] : []))
    },
    async forget(count) {
      const last = db
        .selectFrom('signer_transaction')
        .select(({ fn }) => fn.max('nonce').as('last'))
        .where('signer', '=', signer)
      await db
        .deleteFrom('signer_transaction')
        .where('signer', '=', signer)
        .where('nonce', '<', count)
        .where('nonce', '<', last)
        .where('created_at', '<', later(now(), -KEPT_MS))
        .execute()
    },
  }
}
