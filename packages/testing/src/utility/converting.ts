import { convert, type Piece } from '@tollbook/convert/convert'
import { ConvertError } from '@tollbook/convert/convert-error'
import type { ConvertOptions, Format } from '@tollbook/convert/format'
import { Notes } from '@tollbook/convert/notes'
import { PLAIN_OPTIONS } from '@tollbook/convert/plain-options'

export type Converted = {
  /** The text of each table, by name. */
  readonly texts: Readonly<Record<string, string>>
  /** The text of the only table. */
  readonly text: string
  /** `<line> <message>` */
  readonly notes: readonly string[]
}

/** Converts a text split into pieces of `pieceLength`, to cross every boundary in the readers. */
export function convertText(
  text: string,
  from: Format,
  to: Format,
  { pieceLength = text.length, ...options }: Partial<ConvertOptions> & { pieceLength?: number } = {},
): Converted {
  const notes = new Notes()
  const source = () => cut(text, pieceLength)
  const texts: Record<string, string> = {}
  const pieces = convert(source, { ...PLAIN_OPTIONS, ...options, from, to }, notes)
  for (const { table, text: piece } of pieces as Iterable<Piece>)
    texts[table.name] = (texts[table.name] ?? '') + piece
  return {
    texts,
    text: Object.values(texts).join(''),
    notes: notes.list().map(({ line, message }) => `${line} ${message}`),
  }
}

/** `<line>:<column> <message>` of the error. */
export function convertErrorOf(...provided: Parameters<typeof convertText>): string {
  try {
    return `no error: ${convertText(...provided).text}`
  } catch (error) {
    if (error instanceof ConvertError) return `${error.line}:${error.column} ${error.message}`
    throw error
  }
}

function* cut(text: string, length: number): Generator<string> {
  for (let at = 0; at < text.length; at += Math.max(1, length)) yield text.slice(at, at + Math.max(1, length))
}
