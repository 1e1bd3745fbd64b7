import { BASE } from '@tollbook/chain/network'

const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS
const DAY_BLOCKS = BASE.weekBlocks / 7
/** Lengths of the windows that end with the newest final block, days; 7 is that of published weeks. */
export const WINDOW_DAYS = [1, 7, 14, 30] as const
export type WindowDays = (typeof WINDOW_DAYS)[number]
/**
 * Sunday 1970-01-04 12:00:01 UTC: weeks end at the first block at or after noon, whose time is odd on Base.
 * Every chain uses the same second, so that weeks neither overlap nor leave a gap.
 */
const SOME_WEEK_END = 3 * DAY_SECONDS + DAY_SECONDS / 2 + 1

/** The days of a report. A payment belongs to the window if start <= block time < end. */
export type Window = {
  /** endBlock - 43200 a day; nominal, and possibly negative, on a chain whose blocks are not two seconds apart. */
  readonly startBlock: number
  /** The first block after the window. */
  readonly endBlock: number
  /** Epoch seconds. */
  readonly start: number
  readonly end: number
  /** Whether endBlock is final and every block of the window was read. */
  readonly isComplete: boolean
  /** Whether the seven days before the window were read; absent: no. */
  readonly isEarlierRead?: boolean
}

export type WindowEnd = {
  /** The first block after the window. */
  readonly endBlock: number
  /** Epoch seconds. */
  readonly end: number
  readonly finalHead: number
  readonly coverage: {
    /** The first block that was not read; there is no gap before it. */
    readonly endBlock: number
    /** Epoch seconds: what is older was read and dropped; absent when nothing was. */
    readonly droppedUntil?: number
  }
  /** Time of the first block that was read, epoch seconds. */
  readonly indexedSince: number
  /** Length of the window; default seven days. */
  readonly days?: number | undefined
}

/** The days before an end. */
export function toWindow(of: WindowEnd): Window {
  const { endBlock, end, finalHead, coverage, indexedSince, days = 7 } = of
  const window = { startBlock: endBlock - days * DAY_BLOCKS, endBlock, start: end - days * DAY_SECONDS, end }
  // Days before the first block of the chain do not exist.
  const isRead = indexedSince <= toScreened(window).start
  const isComplete = endBlock <= finalHead && endBlock <= coverage.endBlock && isRead
  const since = Math.max(indexedSince, coverage.droppedUntil ?? 0)
  return { ...window, isComplete, isEarlierRead: since <= window.start - WEEK_SECONDS }
}

/** The seven days before a window, in which buyers may have paid before; null if they were not read. */
export function toEarlier({ start, isEarlierRead }: Pick<Window, 'start' | 'isEarlierRead'>) {
  return isEarlierRead === true ? { start: start - WEEK_SECONDS, end: start } : null
}

/** At least seven days are screened, so that a payment has one flag in windows of one and seven days. */
export function toScreened({ start, end }: Pick<Window, 'start' | 'end'>) {
  return { start: Math.min(start, end - WEEK_SECONDS), end }
}

/** The first block of `toScreened`; nominal, as `startBlock`. */
export function toScreenedBlock({ startBlock, endBlock }: Pick<Window, 'startBlock' | 'endBlock'>): number {
  return Math.min(startBlock, endBlock - BASE.weekBlocks)
}

export function daysOf({ start, end }: Pick<Window, 'start' | 'end'>): number {
  return (end - start) / DAY_SECONDS
}

/** The latest end of a published week at or before a time; both in epoch seconds. */
export function lastWeekEnd(seconds: number): number {
  return seconds - ((((seconds - SOME_WEEK_END) % WEEK_SECONDS) + WEEK_SECONDS) % WEEK_SECONDS)
}

/** Ends of the published weeks in a span of epoch seconds, oldest first. */
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

/** A number of days, for people: `day`, `7 days`. */
export function toSpan(days: number): string {
  return days === 1 ? 'day' : `${days} days`
}
