import type { Block, Inline } from '../../../../engines/extract/document/block.ts'

export type FoundLink = { readonly text: string; readonly href: string }

const MAX_LINKS = 1_000

/** The links of a document in order, each target once, with its first link text. */
export function findLinks(blocks: readonly Block[]): FoundLink[] {
  const found = new Map<string, string>()
  const visit = (inlines: readonly Inline[]) => {
    for (const part of inlines) {
      if (part.kind === 'link' && !found.get(part.href) && found.size < MAX_LINKS)
        found.set(part.href, wordsOf(part.content))
      if ('content' in part) visit(part.content)
    }
  }
  const visitBlocks = (list: readonly Block[]) => {
    for (const block of list) {
      if ('content' in block) visit(block.content)
      else if (block.kind === 'quote') visitBlocks(block.blocks)
      else if (block.kind === 'list') block.items.forEach(visitBlocks)
      else if (block.kind === 'table') for (const cell of block.rows.flat()) visit(cell)
    }
  }
  visitBlocks(blocks)
  return [...found].map(([href, text]) => ({ text, href }))
}

function wordsOf(inlines: readonly Inline[]): string {
  return inlines
    .map((part) => {
      if ('text' in part) return part.text
      if (part.kind === 'image') return part.alt
      return part.kind === 'break' ? ' ' : wordsOf(part.content)
    })
    .join('')
    .trim()
}
