import type { ConvertLimits } from '../limits.ts'
import type { Notes } from '../notes.ts'
import type { TextCursor } from '../text-cursor.ts'
import type { Value } from '../value.ts'

/** Item produced by a reader, in document order. `table` is null for an unnamed table. */
export type ReadItem =
  /** Declares a table with its first columns, even if no rows follow. */
  | { readonly kind: 'table'; readonly table: string | null; readonly columns: readonly string[] }
  /** A row: an object, or any other value. */
  | {
      readonly kind: 'record'
      readonly table: string | null
      readonly value: Value
      /** Null in JSON. */
      readonly line: number | null
    }
  /** The whole text is this one value, which is not a list. */
  | { readonly kind: 'document'; readonly value: Value }

export type Reading = {
  readonly cursor: TextCursor
  readonly limits: Pick<ConvertLimits, 'depth' | 'columns'>
  readonly notes: Notes
}
