import type { ImportedObjects } from './imported-objects.ts'

/** One value of a source. */
export type ImportItem = {
  /** Its index among all values of the source, from 1. */
  readonly number: number
  /** The line where it begins, from 1. */
  readonly line: number
  /** Adds the contents of the value. */
  readonly readInto: (objects: ImportedObjects) => void
}

/** A file, with what is known before reading. */
export type ImportSource = {
  readonly name: string
  /** Depends on the content only, not on the path. */
  readonly fingerprint: string
  readonly sizeBytes: number
  /**
   * The values after the first `skip` ones.
   * @throws PermanentError that names the line if the source is broken.
   */
  read(skip: number, onBytes: (bytes: number) => void): AsyncIterable<ImportItem>
}
