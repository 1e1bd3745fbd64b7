import type { Block } from '@tollbook/extract/document/block'

/** Columns that spaces or tabs align, or an indented line. */
const LAID_OUT = /^(?: {4}|\t)|\S(?: {3,}|\t)\S/m

/** The paragraphs of a plain text. In one with empty lines, lines may break anywhere; otherwise each is a paragraph. */
export function paragraphsOf(text: string): string[] {
  const clean = text.replace(/\r\n?/g, '\n').replace(/^\n+/, '').trimEnd()
  return clean.split(/\n[^\S\n]*\n/.test(clean) ? /\n(?:[^\S\n]*\n)+/ : '\n')
}

/** Reads a plain text; paragraphs with a layout stay as they are, as code. */
export function readText(text: string): Block[] {
  return paragraphsOf(text)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph): Block => {
      if (LAID_OUT.test(paragraph)) return { kind: 'code', language: '', text: paragraph }
      return { kind: 'paragraph', content: [{ kind: 'text', text: paragraph.replace(/\s+/g, ' ').trim() }] }
    })
}
