import { joinPieces, type Part } from './segment.ts'
import { splitMarkdown } from './split-markdown.ts'
import { splitText } from './split-prose.ts'

export type DocumentFormat = 'markdown' | 'text'

/** Splits a document into preserved and translated parts; concatenated, the parts are the document. */
export function splitDocument(text: string, format: DocumentFormat): Part[] {
  return format === 'markdown' ? splitMarkdown(text) : splitText(text)
}

export function joinDocument(parts: readonly Part[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : joinPieces(part.pieces, part.masks))).join('')
}
