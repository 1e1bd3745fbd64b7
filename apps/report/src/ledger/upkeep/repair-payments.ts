import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Housekeeping, PAYMENT_CHUNKS } from '../chunk-journal.ts'
import { readCoverage, rollBack } from '../coverage/coverage.ts'

/** What the ledger lost, and has to be read again. */
export type LostPayments = {
  readonly firstBlock: number
  /** The first block that was not read before either. */
  readonly endBlock: number
}

/**
 * Gives up the attempts of an ended process, and uncovers blocks from the first one whose payments the ledger lacks.
 * @returns null if it has all of them
 */
export async function repairPayments(
  housekeeping: Housekeeping,
  signal: AbortSignal,
): Promise<LostPayments | null> {
  await PAYMENT_CHUNKS.giveUp(housekeeping)
  const damaged = await PAYMENT_CHUNKS.findDamage(housekeeping, signal)
  if (damaged === null) return null
  const { endBlock } = await readCoverage(housekeeping)
  return { firstBlock: await rollBack(housekeeping, damaged, housekeeping.now), endBlock }
}

/** Whether a folder has the ledger of version 1.0.0 in it, which chDB wrote and nothing reads any more. */
export function holdsChdbLedger(folder: string): boolean {
  return ['store', 'metadata'].every((name) => existsSync(join(folder, name)))
}
