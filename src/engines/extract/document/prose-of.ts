import type { Block } from './block.ts'
import { writeText } from './write-text.ts'

/** The paragraphs of a document, those in quotes and lists too; headings, tables and code are no prose. */
export function proseOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'paragraph') return writeText([block]).split('\n')
    if (block.kind === 'quote') return proseOf(block.blocks)
    if (block.kind === 'list') return block.items.flatMap((item) => proseOf(item))
    return []
  })
}
