import { findPeriod, writeLocalTime, writeOffset } from '../../../engines/timezone/clock-period.ts'
import type { LocalType } from '../../../engines/timezone/zone.ts'
import { loadZoneMap, type PlaceZones } from '../../../engines/timezone/zone-map.ts'
import { loadZoneTable } from '../../../engines/timezone/zone-table.ts'

export type PlaceAndTime = {
  /** Degrees. */
  readonly lat: number
  readonly lon: number
  /** Epoch seconds, from 1970 to 2100. */
  readonly seconds: number
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
