import type { Address } from '../../chain/hex.ts'
import { toUtcDate } from '../../report/build/compose-report.ts'
import { lastWeekEnd } from '../../report/build/window.ts'
import type { WindowKey } from '../../report/verify/find-window.ts'
import { UsageError } from '../command.ts'

const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS

/** @throws UsageError if it is not an address. */
export function readAddress(text: string): Address {
  const address = text.toLowerCase()
  if (!/^0x[0-9a-f]{40}$/.test(address)) throw new UsageError(`not an address: ${text}`)
  return address as Address
}

/**
 * The window of `--week` or `--end-block`; undefined for neither.
 * @throws UsageError for both, for a date on which no week ends, and for an invalid block number.
 */
export function readWindowKey(week: unknown, endBlock: unknown): WindowKey | undefined {
  if (week !== undefined && endBlock !== undefined)
    throw new UsageError('--week and --end-block exclude each other')
  if (typeof endBlock === 'string') {
    if (!/^[1-9]\d{0,14}$/.test(endBlock))
      throw new UsageError(`--end-block must be a block number; not ${endBlock}`)
    return { endBlock: Number(endBlock) }
  }
  return typeof week === 'string' ? { end: readWeekEnd(week) } : undefined
}

/** Weeks end just after Sunday noon, UTC. */
function readWeekEnd(week: string): number {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(week) ? Date.parse(week) / 1000 : Number.NaN
  if (Number.isNaN(start)) throw new UsageError(`--week must be a date, YYYY-MM-DD; not ${week}`)
  const end = lastWeekEnd(start + DAY_SECONDS)
  if (toUtcDate(end) === week) return end
  throw new UsageError(
    `weeks end on Sundays, and ${week} is not a Sunday: use ${toUtcDate(end)} or ${toUtcDate(end + WEEK_SECONDS)}`,
  )
}
