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
  readonly coverage: Pick<Coverage, 'endBlock'>
  /** Time of the first block that was read, epoch seconds. */
  readonly indexedSince: number
}

/** The seven days before an end. */
export function toWindow({ endBlock, end, finalHead, coverage, indexedSince }: WindowEnd): FigureWindow {
  const startBlock = endBlock - BASE.weekBlocks
  const start = end - WEEK_SECONDS
  return {
    startBlock,
    endBlock,
    start,
    end,
    // Seven days of a younger chain do not exist.
    isComplete: endBlock <= finalHead && endBlock <= coverage.endBlock && indexedSince <= start,
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
 * @param span `indexedSince`: time of the first block that was read; `until`: time of the newest final block;
 * both in epoch seconds.
 */
export function listWeekEnds(span: {
  readonly indexedSince: number
  readonly until: number
}): readonly number[] {
  const earliest = span.indexedSince + WEEK_SECONDS
  const ends: number[] = []
  for (let end = lastWeekEnd(earliest - 1) + WEEK_SECONDS; end <= span.until; end += WEEK_SECONDS)
    ends.push(end)
  return ends
}
