import type { Change, LocalType, Zone } from './zone.ts'
import { loadZoneMap, type PlaceZones } from './zone-map.ts'
import { loadZoneTable } from './zone-table.ts'

export type PlaceAndTime = {
  /** Degrees. */
  readonly lat: number
  readonly lon: number
  /** Epoch seconds, from 1970 to 2100. */
  readonly seconds: number
}

/** The time between two clock changes of a zone. */
type ClockPeriod = {
  readonly type: LocalType
  /** Seconds ahead of UTC without daylight saving. */
  readonly standardOffset: number
  /** Null if no further change is known. */
  readonly next: Change | null
}

/** The zone of a place and its local time, with the field names of `/api/timezone`. Runs in a worker. */
export async function describePlace({ lat, lon, seconds }: PlaceAndTime) {
  const [zoneMap, table] = await Promise.all([loadZoneMap(), loadZoneTable()])
  const zones = zoneMap(lat, lon)
  const zone = table.find(zones.name)
  if (!zone) throw new Error(`the map contains a zone that the table lacks: ${zones.name}`)
  const { type, standardOffset, next } = findPeriod(zone, seconds)
  return {
    timezone: zones.name,
    alternatives: [...zones.alternatives],
    ...describeType(type),
    dst_offset_seconds: type.isDst ? type.offset - standardOffset : 0,
    next_transition: next && {
      at: new Date(next.seconds * 1000).toISOString(),
      ...describeType(next.type),
    },
    local_time: writeLocalTime(seconds, type.offset),
    note: explain(zones, type),
  }
}

function describeType({ offset, abbreviation, isDst }: LocalType) {
  return { utc_offset: writeOffset(offset), utc_offset_seconds: offset, abbreviation, dst: isDst }
}

function explain({ kind, alternatives }: PlaceZones, { offset }: LocalType): string | null {
  switch (kind) {
    case 'pole':
      return 'All zones meet at the North Pole; UTC is returned.'
    case 'sea':
      return `This place is at sea; the nautical zone UTC${writeOffset(offset)} is returned, which ships may choose not to use.`
    case 'territory':
      return alternatives.length > 0 ? 'More than one zone is in use here.' : null
    default:
      throw new Error('unreachable', { cause: kind satisfies never })
  }
}

/** `+02:00`; with seconds if they are not 0, as in `-00:44:30`. */
export function writeOffset(offset: number): string {
  const seconds = Math.abs(offset)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const written = (seconds % 60 === 0 ? parts.slice(0, 2) : parts).map((part) =>
    String(part).padStart(2, '0'),
  )
  return `${offset < 0 ? '-' : '+'}${written.join(':')}`
}

/** The local time `offset` seconds ahead of UTC: `2026-07-01T14:00:00+02:00`. */
export function writeLocalTime(seconds: number, offset: number): string {
  return new Date((seconds + offset) * 1000).toISOString().slice(0, 19) + writeOffset(offset)
}

/** The period that contains an instant; epoch seconds, from 1970 to 2100. */
export function findPeriod({ initial, changes }: Zone, seconds: number): ClockPeriod {
  const at = changes.findLastIndex((change) => change.seconds <= seconds)
  const type = changes[at]?.type ?? initial
  const before = [initial, ...changes.slice(0, at + 1).map((change) => change.type)]
  const after = changes.slice(at + 1).map((change) => change.type)
  const standard = [before.findLast(isStandard), after.find(isStandard)].filter((each) => each !== undefined)
  const standardOffset = type.isDst ? nearestToAnHour(type.offset, standard) : type.offset
  return { type, standardOffset, next: changes[at + 1] ?? null }
}

function isStandard({ isDst }: LocalType): boolean {
  return !isDst
}

/** The standard times before and after differ if both clocks and standard time changed: Grand Turk in March 2018. */
function nearestToAnHour(offset: number, standard: readonly LocalType[]): number {
  const distance = (type: LocalType) => Math.abs(offset - type.offset - 3600)
  const [nearest] = standard.toSorted((one, other) => distance(one) - distance(other))
  return nearest?.offset ?? offset
}
