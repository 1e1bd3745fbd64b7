/** The days of SQL Server's `datetime` count from here. */
const EPOCH_MS = Date.UTC(1900, 0, 1)
const DAY_MS = 86_400_000
const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')

/**
 * The text of a binary `datetime` (days and 1/300 of a second, four bytes each) or `smalldatetime` (days and minutes,
 * two bytes each); null for other types.
 * https://learn.microsoft.com/en-us/sql/t-sql/data-types/datetime-transact-sql
 */
export function fromBinaryDate(hex: string, type: string): string | null {
  const isSmall = /^SMALLDATETIME$/i.test(type)
  if (hex.length !== (isSmall ? 8 : 16) || (!isSmall && !/^DATETIME$/i.test(type))) return null
  const half = hex.length / 2
  const days = Number.parseInt(hex.slice(0, half), 16)
  const signed = isSmall ? days : days | 0
  const ticks = Number.parseInt(hex.slice(half), 16)
  const ms = isSmall ? ticks * 60_000 : Math.round((ticks * 10) / 3)
  return ms >= DAY_MS ? null : toText(EPOCH_MS + signed * DAY_MS + ms, !isSmall)
}

function toText(ms: number, hasFraction: boolean): string {
  return new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .slice(0, hasFraction ? 23 : 19)
}

/** Elements of a format that are read, as patterns. */
const ELEMENTS: Readonly<Record<string, string>> = {
  YYYY: '\\d{4}',
  RRRR: '\\d{4}',
  YY: '\\d{2}',
  RR: '\\d{2}',
  MONTH: '[A-Za-z]{3,9}\\s*',
  MON: '[A-Za-z]{3}',
  MM: '\\d{1,2}',
  DD: '\\d{1,2}',
  HH24: '\\d{1,2}',
  HH12: '\\d{1,2}',
  HH: '\\d{1,2}',
  MI: '\\d{1,2}',
  SS: '\\d{1,2}',
  FF: '\\d{1,9}',
  AM: '[AP]M',
  PM: '[AP]M',
}
const TOKEN = /"([^"]*)"|FF\d?|YYYY|RRRR|YY|RR|MONTH|MON|MM|DD|HH24|HH12|HH|MI|SS|[AP]M|[A-Z]+|[^A-Z"]/gi

/**
 * Resolves Oracle's `TO_DATE('17-JUN-03', 'DD-MON-RR')` to `2003-06-17`, with the time if the format has one.
 * Undefined if the format has other elements, the text does not fit, or there is no such day.
 */
export function fromOracleDate(text: string, format: string): string | undefined {
  const names: string[] = []
  let pattern = ''
  for (const [token, literal] of format.matchAll(TOKEN)) {
    const name = token.toUpperCase().replace(/^FF\d$/, 'FF')
    const element = ELEMENTS[name]
    if (element) {
      names.push(name)
      pattern += `(${element})`
    } else if (literal === undefined && /^[A-Z]+$/.test(name)) return undefined
    else pattern += (literal ?? token).replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  }
  const match = new RegExp(`^\\s*${pattern}\\s*$`, 'i').exec(text)
  if (!match) return undefined
  const partOf = (...wanted: readonly string[]) => match[names.findIndex((name) => wanted.includes(name)) + 1]
  const has = (...wanted: readonly string[]) => names.some((name) => wanted.includes(name))
  const year = yearOf(has('YYYY', 'RRRR') ? partOf('YYYY', 'RRRR') : partOf('YY', 'RR'), has('RR'))
  const month = has('MM') ? Number(partOf('MM')) : monthOf(partOf('MON', 'MONTH'))
  const day = Number(partOf('DD'))
  if (!has('YYYY', 'RRRR', 'YY', 'RR') || !has('MM', 'MON', 'MONTH') || !has('DD')) return undefined
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`
  if (!isDay(date)) return undefined
  if (!has('HH24', 'HH12', 'HH', 'MI', 'SS')) return date
  const half = has('AM', 'PM') ? partOf('AM', 'PM')?.toUpperCase() : undefined
  const written = has('HH24', 'HH12', 'HH') ? Number(partOf('HH24', 'HH12', 'HH')) : 0
  const hour = half === undefined ? written : (written % 12) + (half === 'PM' ? 12 : 0)
  const [minute, second] = [has('MI') ? Number(partOf('MI')) : 0, has('SS') ? Number(partOf('SS')) : 0]
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const fraction = has('FF') ? `.${partOf('FF')}` : ''
  return `${date} ${pad(hour)}:${pad(minute)}:${pad(second)}${fraction}`
}

/** Two digits are in this century; with RR, 50 to 99 are in the last one. */
function yearOf(text = '', isRounded: boolean): number {
  const year = Number(text)
  return text.length === 4 ? year : year + (isRounded && year >= 50 ? 1900 : 2000)
}

function monthOf(name = ''): number {
  return MONTHS.indexOf(name.slice(0, 3).toUpperCase()) + 1
}

function isDay(date: string): boolean {
  const ms = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date)
}

function pad(value: number, length = 2): string {
  return String(value).padStart(length, '0')
}
