import type { PadVersionTable } from '../state/scratchpad-tables.ts'
import { MAX_VERSIONS, PADS_QUOTA_BYTES } from './contract.ts'

export type StoredVersion = Pick<PadVersionTable, 'version' | 'bytes'>

/** Bytes of all pads of the wallet, and of the new version. */
type Room = { readonly usedBytes: number; readonly addedBytes: number }

/**
 * The versions of a pad to drop when another is written: those beyond the maximum number, and more, oldest
 * first, until there is space.
 * @param kept the stored versions, oldest first.
 */
export function chooseDropped(
  retained: readonly StoredVersion[],
  { usedBytes, addedBytes }: Room,
): readonly StoredVersion[] {
  let count = Math.max(0, retained.length - (MAX_VERSIONS - 1))
  const needsRoom = () => usedBytes + addedBytes - sumBytes(retained.slice(0, count)) > PADS_QUOTA_BYTES
  while (count < retained.length && needsRoom()) count++
  return retained.slice(0, count)
}

export function sumBytes(versions: readonly StoredVersion[]): number {
  return versions.reduce((sum, { bytes }) => sum + bytes, 0)
}
