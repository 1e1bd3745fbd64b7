import type { Block, Inline } from './block.ts'

/**
 * Writes blocks as plain text: one line per paragraph, heading or item, tabs between cells, a blank line
 * between blocks.
 */
export function writeText(blocks: readonly Block[]): string {
  return blocks
    .map(writeBlock)
    .filter((text) => text !== '')
    .join('\n\n')
}

function writeBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return writeInlines(block.content)
    case 'rule':
      return ''
    case 'code':
      return block.text
    case 'quote':
      return writeText(block.blocks)
    case 'list':
      return block.items.map(writeText).join(block.isTight ? '\n' : '\n\n')
    case 'table':
      return block.rows.map((row) => row.map(writeInlines).join('\t')).join('\n')
    default:
      return block satisfies never
  }
}

function writeInlines(inlines: readonly Inline[]): string {
  return inlines
    .map((part) => {
      if ('text' in part) return part.text
      if (part.kind === 'break') return '\n'
      return part.kind === 'image' ? part.alt : writeInlines(part.content)
    })
    .join('')
}

/** The paragraphs of a document, including those in quotes and lists; no headings, tables or code. */
export function proseOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'paragraph') return writeText([block]).split('\n')
    if (block.kind === 'quote') return proseOf(block.blocks)
    if (block.kind === 'list') return block.items.flatMap((item) => proseOf(item))
    return []
  })
}
