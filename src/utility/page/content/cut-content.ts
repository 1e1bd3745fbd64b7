import type { Block } from '../../../engines/extract/document/block.ts'

/**
 * Returns as many whole blocks as fit into a number of characters, so that no table, code or link is cut; if
 * they fill less than half, also as much of the next block as fits. The rendered text never exceeds the
 * limit.
 */
export function cutContent(
  blocks: readonly Block[],
  maxChars: number,
  write: (blocks: readonly Block[]) => string,
): { readonly retained: readonly Block[]; readonly isTruncated: boolean } {
  if (write(blocks).length <= maxChars) return { retained: blocks, isTruncated: false }
  // More blocks never render shorter, so binary search finds the number that fits.
  const count = maxThatFits(blocks.length, (number) => write(blocks.slice(0, number)).length <= maxChars)
  const whole = blocks.slice(0, count)
  const next = blocks[count]
  if (next === undefined || write(whole).length > maxChars / 2) return { retained: whole, isTruncated: true }
  const size = sizeOf(next)
  const part = maxThatFits(size, (number) => write([...whole, head(next, number)]).length <= maxChars)
  // A table header alone is useless.
  const min = next.kind === 'table' ? 1 : 0
  return { retained: part > min ? [...whole, head(next, part)] : whole, isTruncated: true }
}

/** The largest number in 0..most for which `fits` holds, provided that it holds for all smaller numbers. */
function maxThatFits(max: number, fits: (number: number) => boolean): number {
  let [low, high] = [0, max]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** Number of parts that a block can be cut into. */
function sizeOf(block: Block): number {
  switch (block.kind) {
    case 'paragraph':
    case 'heading': {
      const [first] = block.content
      return block.content.length === 1 && first?.kind === 'text' ? first.text.length : block.content.length
    }
    case 'code':
      return block.text.split('\n').length
    case 'quote':
      return block.blocks.length
    case 'list':
      return block.items.length
    case 'table':
      return block.rows.length
    case 'rule':
      return 0
    default:
      return block satisfies never
  }
}

function head(block: Block, count: number): Block {
  switch (block.kind) {
    case 'paragraph':
    case 'heading': {
      const [first] = block.content
      const isText = block.content.length === 1 && first?.kind === 'text'
      const content = isText
        ? [{ kind: 'text' as const, text: wholeCharacters(first.text.slice(0, count)).trimEnd() }]
        : block.content.slice(0, count)
      return { ...block, content }
    }
    case 'code':
      return { ...block, text: block.text.split('\n').slice(0, count).join('\n') }
    case 'quote':
      return { ...block, blocks: block.blocks.slice(0, count) }
    case 'list':
      return { ...block, items: block.items.slice(0, count) }
    case 'table':
      return { ...block, rows: block.rows.slice(0, count) }
    case 'rule':
      return block
    default:
      return block satisfies never
  }
}

/** Drops half of a surrogate pair at the end. */
function wholeCharacters(text: string): string {
  return text.isWellFormed() ? text : text.slice(0, -1)
}
