import type { Address } from '@tollbook/chain/hex'
import type { BlockRange } from '@tollbook/verify/chain/pieces'

/** Block ranges for which every transfer of a wallet was read, in ascending order. */
export type Spans = ReadonlyMap<Address, readonly BlockRange[]>

/** A unit of work: read the transfers of these wallets in this range. */
export type Piece = BlockRange & { readonly wallets: readonly Address[] }

/**
 * No piece crosses a multiple of this many blocks, about four and a half hours of Base. So a reorganisation,
 * or a lost chunk, costs at most reading again from one cell boundary on.
 */
export const CELL_BLOCKS = 8_192

/** The cell boundary at or before a block. */
export function toCellStart(block: number): number {
  return Math.floor(block / CELL_BLOCKS) * CELL_BLOCKS
}

/** The earliest missing blocks, for all wallets that lack exactly these; null when nothing is missing. */
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

/** The first blocks of a range that no span contains; null when the spans cover all of it. */
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

export function isKnown(spans: readonly BlockRange[] | undefined, range: BlockRange): boolean {
  return findGap(spans ?? [], range) === null
}
