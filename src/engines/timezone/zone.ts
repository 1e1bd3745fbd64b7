/** The clock changes of a zone from 1970-01-01 on. */
export type Zone = {
  readonly initial: LocalType
  /** In chronological order. */
  readonly changes: readonly Change[]
  /** Applies after the last change. */
  readonly rule: YearlyRule
}

/** A local time type: UTC offset, DST flag and abbreviation (RFC 9636). */
export type LocalType = {
  /** Seconds ahead of UTC. */
  readonly offset: number
  /** As in the tz database, where Dublin's winter time counts as DST with a negative saving. */
  readonly isDst: boolean
  readonly abbreviation: string
}

export type Change = {
  /** Epoch seconds; the type applies from here on. */
  readonly seconds: number
  readonly type: LocalType
}

/** A rule for clocks that change on the same two days every year, or never. */
type YearlyRule = {
  readonly standard: LocalType
  readonly daylight: {
    readonly type: LocalType
    readonly from: YearlyMoment
    readonly until: YearlyMoment
  } | null
}

type YearlyMoment = {
  /** 1 to 12. */
  readonly month: number
  /** Week of the month, 1 to 5; 5 is the last one. */
  readonly week: number
  /** 0 is Sunday. */
  readonly weekday: number
  /** Seconds since midnight, in the local time before the change; may be negative or exceed a day. */
  readonly seconds: number
}

const NAME = `(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)`
const TIME = String.raw`[+-]?\d{1,3}(?::\d{2}){0,2}`
const MOMENT = String.raw`M\d{1,2}\.\d\.\d(?:/${TIME})?`
const RULE = new RegExp(`^(${NAME})(${TIME})(?:(${NAME})(${TIME})?,(${MOMENT}),(${MOMENT}))?$`)

const HOUR = 3600
const DAY = 24 * HOUR

/** Parses a zone from data/zones.txt, without its names: `types|changes|rule`. */
export function readZone(text: string): Zone {
  const [types = '', changes = '', rule = ''] = text.split('|')
  const localTypes = types.split(' ').map(readType)
  const typeOf = (index: number): LocalType => {
    const type = localTypes[index]
    if (!type) throw new Error(`the zone has no type ${index}`)
    return type
  }
  let seconds = 0
  return {
    initial: typeOf(0),
    changes: (changes === '' ? [] : changes.split(' ')).map((change) => {
      const [later = '', index = ''] = change.split(':')
      seconds += Number.parseInt(later, 36)
      return { seconds, type: typeOf(Number(index)) }
    }),
    rule: readYearlyRule(rule),
  }
}

function readType(text: string): LocalType {
  const [offset = '', isDst = '', abbreviation = ''] = text.split(',')
  return { offset: Number(offset), isDst: isDst === '1', abbreviation }
}

/**
 * Parses a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`, in which offsets count westwards.
 * @see https://www.rfc-editor.org/rfc/rfc9636#section-3.3.1
 * @throws Error for forms that the tz database does not use: days counted through the year.
 */
export function readYearlyRule(text: string): YearlyRule {
  const match = RULE.exec(text)
  if (!match) throw new Error(`not a zone rule: ${text}`)
  const [, name = '', west = '', daylightName, daylightWest, from = '', until = ''] = match
  const standard = { offset: 0 - readTime(west), isDst: false, abbreviation: bare(name) }
  if (daylightName === undefined) return { standard, daylight: null }
  const offset = daylightWest === undefined ? standard.offset + HOUR : 0 - readTime(daylightWest)
  const type = { offset, isDst: true, abbreviation: bare(daylightName) }
  return { standard, daylight: { type, from: readMoment(from), until: readMoment(until) } }
}

export function changesOfYear({ standard, daylight }: YearlyRule, year: number): readonly Change[] {
  if (!daylight) return []
  const changes = [
    { seconds: toSeconds(daylight.from, year) - standard.offset, type: daylight.type },
    { seconds: toSeconds(daylight.until, year) - daylight.type.offset, type: standard },
  ]
  return changes.sort((a, b) => a.seconds - b.seconds)
}

function toSeconds({ month, week, weekday, seconds }: YearlyMoment, year: number): number {
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay()
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate()
  const inWeek = 1 + ((weekday - first + 7) % 7) + (week - 1) * 7
  return Date.UTC(year, month - 1, inWeek > days ? inWeek - 7 : inWeek) / 1000 + seconds
}

function readMoment(text: string): YearlyMoment {
  const [date = '', time = '2'] = text.slice(1).split('/')
  const [month = 0, week = 0, weekday = 0] = date.split('.').map(Number)
  return { month, week, weekday, seconds: readTime(time) }
}

function readTime(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number)
  const total = hours * HOUR + minutes * 60 + seconds
  if (total > 7 * DAY) throw new Error(`not a rule time: ${text}`)
  return text.startsWith('-') ? -total : total
}

function bare(name: string): string {
  return name.replace(/[<>]/g, '')
}
