import type { Readable } from 'node:stream'

/** A file of an archive. */
export type ArchiveFile = {
  /** As in the manifest, such as `data/tweets.js`. */
  readonly name: string
  /** Bytes read from the disk for it. */
  readonly storedBytes: number
  open(): Promise<Readable>
}

/** The files of a data archive, zipped or unpacked. */
export interface ArchiveFiles {
  readonly path: string
  /** Null if there is no such file. */
  find(name: string): Promise<ArchiveFile | null>
  close(): Promise<void>
}
