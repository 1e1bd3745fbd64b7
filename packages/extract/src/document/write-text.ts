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

/** A paragraph with a larger share of characters in links is a list of links, or a teaser of another page. */
const MAX_LINKED = 0.5

/**
 * The paragraphs of a document, including those in quotes and lists; no headings, tables or code. Those that
 * are mostly links are left out if the blocks were read with links.
 */
export function proseOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'paragraph')
      return linkedLength(block.content) > MAX_LINKED * writeInlines(block.content).length
        ? []
        : writeText([block]).split('\n')
    if (block.kind === 'quote') return proseOf(block.blocks)
    if (block.kind === 'list') return block.items.flatMap((item) => proseOf(item))
    return []
  })
}

function linkedLength(inlines: readonly Inline[]): number {
  return inlines.reduce((sum, part) => {
    if (!('content' in part)) return sum
    return sum + (part.kind === 'link' ? writeInlines(part.content).length : linkedLength(part.content))
  }, 0)
}
