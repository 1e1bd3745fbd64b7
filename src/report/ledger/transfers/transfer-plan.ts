import type { Address } from '../../chain/payment.ts'
import type { BlockRange } from '../../chain/pieces.ts'

/** Ranges of blocks of which every transfer of a wallet was read, in their order. */
export type Spans = ReadonlyMap<Address, readonly BlockRange[]>

/** One thing to do: read the transfers of these wallets in this range. */
export type Piece = BlockRange & { readonly wallets: readonly Address[] }

/**
 * No piece reaches over a border of so many blocks, about four and a half hours of Base. So a reorganisation, or
 * a chunk that was lost, costs no more than to read again from one border on.
 */
export const CELL_BLOCKS = 8_192

/** The border at or before a block. */
export function toCellStart(block: number): number {
  return Math.floor(block / CELL_BLOCKS) * CELL_BLOCKS
}

/**
 * What to read next so that a range is known of every wallet: the earliest blocks that are not, together for all
 * wallets that lack just these. Null when nothing is missing.
 */
export function planPiece(wallets: readonly Address[], spans: Spans, range: BlockRange): Piece | null {
  const gaps = wallets.flatMap((wallet) => {
    const gap = findGap(spans.get(wallet) ?? [], range)
    return gap ? [{ wallet, ...gap }] : []
  })
  if (gaps.length === 0) return null
  const firstBlock = gaps.reduce((min, gap) => Math.min(min, gap.firstBlock), Number.POSITIVE_INFINITY)
  const first = gaps.filter((gap) => gap.firstBlock === firstBlock)
  const cellEnd = toCellStart(firstBlock) + CELL_BLOCKS
  const endBlock = first.reduce((min, gap) => Math.min(min, gap.endBlock), cellEnd)
  return { firstBlock, endBlock, wallets: first.map(({ wallet }) => wallet) }
}

/** The first blocks of a range that no span holds; null when spans hold all of it. */
export function findGap(spans: readonly BlockRange[], range: BlockRange): BlockRange | null {
  let reached = range.firstBlock
  for (const { firstBlock, endBlock } of spans) {
    if (firstBlock > reached)
      return reached < range.endBlock
        ? { firstBlock: reached, endBlock: Math.min(firstBlock, range.endBlock) }
        : null
    reached = Math.max(reached, endBlock)
  }
  return reached < range.endBlock ? { firstBlock: reached, endBlock: range.endBlock } : null
}

/** Whether spans hold every block of a range. */
export function isKnown(spans: readonly BlockRange[] | undefined, range: BlockRange): boolean {
  return findGap(spans ?? [], range) === null
}
