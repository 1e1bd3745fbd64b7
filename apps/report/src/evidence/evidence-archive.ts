/** Payments of published weeks, apart from the ledger; a file is written once, and read from any offset. */
export interface EvidenceArchive {
  /** Begins a file that is not readable until it is stored. @param label the first part of its name. */
  create(label: string): Promise<NewEvidenceFile>
  /** Reads bytes of a stored file. @throws Unreachable when it or a part is missing. */
  read(file: string, range: { readonly at: number; readonly bytes: number }): AsyncIterable<Uint8Array>
  /** Deletes the files that were begun or stored more than a day ago, except these. */
  removeStrays(kept: ReadonlySet<string>, now: Date): Promise<void>
}

export type EvidencePart = { readonly file: string; readonly at: number; readonly bytes: number }

export type NewEvidenceFile = {
  /** Adds bytes; they may be buffered for a moment. */
  write(bytes: Uint8Array): Promise<void>
  /** Flushes all bytes to disk, then gives the file its final name. */
  keep(): Promise<KeptEvidenceFile>
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
