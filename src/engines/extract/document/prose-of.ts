import type { Block } from './block.ts'
import { writeText } from './write-text.ts'

/** The paragraphs of a document, including those in quotes and lists; no headings, tables or code. */
export function proseOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'paragraph') return writeText([block]).split('\n')
    if (block.kind === 'quote') return proseOf(block.blocks)
    if (block.kind === 'list') return block.items.flatMap((item) => proseOf(item))
    return []
  })
}
