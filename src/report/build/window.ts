import { BASE } from '../../money/base.ts'
import type { Coverage } from '../ledger/coverage.ts'
import type { FigureWindow } from './figures.ts'

const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS
/**
 * Sunday 1970-01-04 12:00:01 UTC. A published week ends at the first block at or after Sunday 12:00:00 UTC,
 * and block times of Base are odd. Every chain uses the same second, so weeks neither overlap nor leave a
 * gap.
 */
const SOME_WEEK_END = 3 * DAY_SECONDS + DAY_SECONDS / 2 + 1

export type WindowEnd = {
  /** The first block after the window. */
  readonly endBlock: number
  /** Epoch seconds. */
  readonly end: number
  /** The newest final block. */
  readonly finalHead: number
  readonly coverage: Coverage
}

/** The seven days before an end. */
export function toWindow({ endBlock, end, finalHead, coverage }: WindowEnd): FigureWindow {
  const startBlock = endBlock - BASE.weekBlocks
  return {
    startBlock,
    endBlock,
    start: end - WEEK_SECONDS,
    end,
    // A chain younger than the window is complete when it was read from its first block.
    isComplete:
      endBlock <= finalHead &&
      endBlock <= coverage.endBlock &&
      (coverage.firstBlock === 0 || coverage.firstBlock <= startBlock),
  }
}

/**
 * The latest time, at or before `seconds`, at which a published week ends.
 * @param seconds epoch seconds, as is the result
 */
export function lastWeekEnd(seconds: number): number {
  return seconds - ((((seconds - SOME_WEEK_END) % WEEK_SECONDS) + WEEK_SECONDS) % WEEK_SECONDS)
}

/**
 * The ends of the published weeks that can have been read completely, oldest first.
 * @param span `indexedSince`: time of the first block that was read; `isFromGenesis`: whether that is the
 * chain's first block, before which there is nothing to read; `until`: time of the newest final block; all in
 * epoch seconds.
 */
export function listWeekEnds(span: {
  readonly indexedSince: number
  readonly isFromGenesis: boolean
  readonly until: number
}): readonly number[] {
  const { indexedSince, isFromGenesis, until } = span
  const earliest = isFromGenesis ? indexedSince + 1 : indexedSince + WEEK_SECONDS
  const ends: number[] = []
  for (let end = lastWeekEnd(earliest - 1) + WEEK_SECONDS; end <= until; end += WEEK_SECONDS) ends.push(end)
  return ends
}
