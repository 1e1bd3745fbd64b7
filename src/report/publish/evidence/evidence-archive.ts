/**
 * Keeps the payments of published weeks apart from the ledger, so that they never change, also when the ledger
 * is pruned. A file is written once, and read from any offset.
 */
export interface EvidenceArchive {
  /** Begins a file; nobody reads it before it is kept. @param label the first part of its name. */
  create(label: string): Promise<NewEvidenceFile>
  /** Reads bytes of a kept file. @throws Unreachable when the file or a part of it is gone; a backup may bring it back. */
  read(file: string, range: { readonly at: number; readonly bytes: number }): AsyncIterable<Uint8Array>
  /** Deletes what was begun or kept more than a day ago and is none of these files. */
  removeStrays(kept: ReadonlySet<string>, now: Date): Promise<void>
}

/** A merchant's part of an evidence file. */
export type EvidencePart = { readonly file: string; readonly at: number; readonly bytes: number }

export type NewEvidenceFile = {
  /** Adds bytes; they may be held for a moment. */
  write(bytes: Uint8Array): Promise<void>
  /** Puts all bytes on disk, then gives the file its name. */
  keep(): Promise<KeptEvidenceFile>
  /** Forgets the file. */
  discard(): Promise<void>
}

export type KeptEvidenceFile = {
  readonly file: string
  /** Of the whole file, hex. */
  readonly sha256: string
  readonly bytes: number
}

/** A publication that takes longer than a day has failed. */
export const STRAY_AGE_MS = 86_400_000
