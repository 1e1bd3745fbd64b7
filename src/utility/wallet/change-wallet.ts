import type { Transaction } from 'kysely'
import type { Address } from '../../catalogue/endpoint.ts'
import type { State } from '../../state/state.ts'
import type { Tables } from '../../state/tables.ts'

/** What of a wallet is changed, when, and until when the caller waits. */
export type WalletCall = {
  readonly state: State
  readonly wallet: Address
  /** A change with the id of an earlier one is not made again; null for changes that nobody asked for. */
  readonly callId: string | null
  readonly now: Date
  readonly signal: AbortSignal
}

/** A wallet whose other changes wait for this one. */
export type HeldWallet = {
  readonly transaction: Transaction<Tables>
  readonly wallet: Address
  /** Bytes of its collections. */
  readonly bytesUsed: number
  /** Bytes of its scratchpads. */
  readonly padBytes: number
  readonly nowMs: number
}

/** Longer than any authorization lives, and than stored answers are repeated. */
export const CHANGES_KEPT_MS = 48 * 3_600_000

/**
 * Changes what a wallet keeps in one transaction, one after another for each wallet, in any number of processes:
 * the first statement takes the row that counts the wallet's bytes. A call that runs again is given what its
 * first run gave; `Result` is plain JSON.
 */
export function changeWallet<Result>(
  call: WalletCall,
  work: (held: HeldWallet) => Promise<Result>,
): Promise<Result> {
  const { state, wallet, now, signal } = call
  return state.db.transaction().execute(async (transaction) => {
    const { bytes_used, pad_bytes } = await transaction
      .insertInto('wallet')
      .values({ address: wallet, bytes_used: 0 })
      .onConflict((conflict) =>
        conflict.column('address').doUpdateSet((row) => ({ bytes_used: row.ref('wallet.bytes_used') })),
      )
      .returning(['bytes_used', 'pad_bytes'])
      .executeTakeFirstOrThrow()
    const made = await findChange(transaction, call)
    if (made) return JSON.parse(made) as Result
    const held = { transaction, wallet, bytesUsed: bytes_used, padBytes: pad_bytes, nowMs: now.getTime() }
    const result = await work(held)
    await keepChange(transaction, call, result)
    // Whoever was told that the call took too long must not find it done.
    signal.throwIfAborted()
    return result
  })
}

async function findChange(
  transaction: Transaction<Tables>,
  { callId, wallet }: WalletCall,
): Promise<string | null> {
  if (callId === null) return null
  const change = transaction.selectFrom('wallet_change').select('result').where('call_id', '=', callId)
  return (await change.where('wallet', '=', wallet).executeTakeFirst())?.result ?? null
}

async function keepChange(
  transaction: Transaction<Tables>,
  call: WalletCall,
  result: unknown,
): Promise<void> {
  const { callId, wallet, now } = call
  if (callId === null) return
  const made_at = now.getTime()
  const old = transaction.deleteFrom('wallet_change').where('wallet', '=', wallet)
  await old.where('made_at', '<', made_at - CHANGES_KEPT_MS).execute()
  const change = { call_id: callId, wallet, made_at, result: JSON.stringify(result) }
  await transaction.insertInto('wallet_change').values(change).execute()
}
