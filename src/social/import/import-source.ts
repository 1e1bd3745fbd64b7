import type { ImportedObjects } from './imported-objects.ts'

/** Position in a source: the part, and the number of its values already read. */
export type ImportPlace = { readonly part: string; readonly items: number }

/** One value of a source. */
export type ImportItem = {
  readonly place: ImportPlace
  /** The line in the part where it begins, from 1. */
  readonly line: number
  /** Adds the contents of the value. */
  readonly readInto: (objects: ImportedObjects) => void
}

/** A file, or the files of an archive, with what is known before reading. */
export type ImportSource = {
  readonly name: string
  /** Depends on the content only, not on the path. */
  readonly fingerprint: string
  readonly sizeBytes: number
  /** Deliberately skipped data, such as the private files of an archive. */
  readonly skippedTypes: readonly string[]
  /**
   * The values after a position; null for all.
   * @throws PermanentError that names part and line if the source is broken.
   */
  read(from: ImportPlace | null, onBytes: (bytes: number) => void): AsyncIterable<ImportItem>
  close(): Promise<void>
}
