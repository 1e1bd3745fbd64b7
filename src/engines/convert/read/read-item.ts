import type { ConvertLimits } from '../limits.ts'
import type { Notes } from '../notes.ts'
import type { TextCursor } from '../text-cursor.ts'
import type { Value } from '../value.ts'

/** What readers give, in the order of the text. A table without a name has the name null. */
export type ReadItem =
  /** A table is there, with these columns first, even if no row follows. */
  | { readonly kind: 'table'; readonly table: string | null; readonly columns: readonly string[] }
  /** A row: the members of an object, or another value. */
  | { readonly kind: 'record'; readonly table: string | null; readonly value: Value; readonly line: number }
  /** The whole text is this one value, and no list. */
  | { readonly kind: 'document'; readonly value: Value; readonly line: number }

/** What a reader is given. */
export type Reading = {
  readonly cursor: TextCursor
  readonly limits: Pick<ConvertLimits, 'depth' | 'columns'>
  readonly notes: Notes
}
