import type { Readable } from 'node:stream'

/** A file of an archive. */
export type ArchiveFile = {
  /** As the manifest names it, such as `data/tweets.js`. */
  readonly name: string
  /** Bytes that are read from the disk for it. */
  readonly storedBytes: number
  open(): Promise<Readable>
}

/** The files of a data archive, wherever they lie. */
export interface ArchiveFiles {
  readonly path: string
  /** Null for a name that is not there. */
  find(name: string): Promise<ArchiveFile | null>
  close(): Promise<void>
}
