import type { ImportedObjects } from './imported-objects.ts'

/** How far a source was read: its part, and the values of that part that need no reading any more. */
export type ImportPlace = { readonly part: string; readonly items: number }

/** One value of a source. */
export type ImportItem = {
  readonly place: ImportPlace
  /** Where in the part it begins, from 1. */
  readonly line: number
  /** Takes what the value holds. */
  readonly readInto: (objects: ImportedObjects) => void
}

/** A file, or the files of an archive, with what an import knows about them beforehand. */
export type ImportSource = {
  readonly name: string
  /** The same as long as the content is, wherever it lies. */
  readonly fingerprint: string
  readonly sizeBytes: number
  /** What is deliberately left alone, such as the private files of an archive. */
  readonly leftOut: readonly string[]
  /**
   * The values behind a place; null for all.
   * @throws PermanentError that names part and line where the source is broken.
   */
  read(from: ImportPlace | null, onBytes: (bytes: number) => void): AsyncIterable<ImportItem>
  close(): Promise<void>
}
