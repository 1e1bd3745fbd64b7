import { BASE } from '../../money/base.ts'
import type { Block } from '../chain/blocks.ts'
import type { Coverage } from '../ledger/coverage.ts'
import type { FigureWindow } from './figures.ts'

const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS
/** Sunday 1970-01-04 12:00:00 UTC: a moment at which a published week ends. */
const SOME_WEEK_END = 3 * DAY_SECONDS + DAY_SECONDS / 2

/** The seven days that end with a block, which itself belongs to the next window. */
export function toWindow({
  endBlock,
  finalHead,
  coverage,
}: {
  readonly endBlock: Block
  /** The newest final block. */
  readonly finalHead: number
  readonly coverage: Coverage
}): FigureWindow {
  const startBlock = endBlock.number - BASE.weekBlocks
  return {
    startBlock,
    endBlock: endBlock.number,
    start: endBlock.timestamp - WEEK_SECONDS,
    end: endBlock.timestamp,
    // A chain younger than the window is whole when it was read from its first block.
    isComplete:
      endBlock.number <= finalHead &&
      endBlock.number <= coverage.endBlock &&
      (coverage.firstBlock === 0 || coverage.firstBlock <= startBlock),
  }
}

/**
 * The newest moment at or before the given one at which a published week ends: Sunday 12:00:00 UTC.
 * @param seconds epoch seconds, as is the result
 */
export function lastWeekEnd(seconds: number): number {
  return seconds - ((((seconds - SOME_WEEK_END) % WEEK_SECONDS) + WEEK_SECONDS) % WEEK_SECONDS)
}
