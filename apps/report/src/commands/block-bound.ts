import { findFirstBlockSince, readBlock } from '@tollbook/chain/blocks'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { PermanentError } from '@tollbook/flow/failure'
import { UsageError } from '@tollbook/flow/usage-error'

export type Bound = number | Date | null

/** Parses a block number or a day; null if absent. @throws UsageError for anything else. */
export function readBound(text: unknown, option: string): Bound {
  if (text === undefined) return null
  if (/^\d{1,12}$/.test(String(text))) return Number(text)
  const day = new Date(`${text}T00:00:00Z`)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(String(text)) || Number.isNaN(day.getTime()))
    throw new UsageError(`${option} must be a block number or a day as YYYY-MM-DD, not ${text}`)
  return day
}

/** A day begins with the first block at or after 00:00 UTC. @throws PermanentError if the chain has none yet. */
export async function toBlock(
  bound: Bound,
  absent: number,
  { rpc }: { readonly rpc: Rpc },
  signal: AbortSignal,
): Promise<number> {
  if (bound === null) return absent
  if (typeof bound === 'number') return bound
  const head = await readBlock(rpc, 'latest', signal)
  const block = head && (await findFirstBlockSince(rpc, { time: bound.getTime() / 1000, head }, signal))
  if (!block) throw new PermanentError(`the chain has no block of ${bound.toISOString().slice(0, 10)} yet`)
  return block.number
}
