import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findPeriod } from './clock-period.ts'
import { loadZoneMap } from './zone-map.ts'
import { loadZoneTable, readDataLines } from './zone-table.ts'

const cities = (await readDataLines('zone.tab')).map((line) => {
  const [, place = '', name = ''] = line.split('\t')
  const [lat = '', lon = ''] = place.match(/[+-]\d+/g) ?? []
  return { lat: toDegrees(lat, 2), lon: toDegrees(lon, 3), name }
})

/** `+4230` or `-0102030`: degrees, minutes, perhaps seconds (ISO 6709). */
function toDegrees(text: string, digits: number): number {
  const parts = [text.slice(1, 1 + digits), text.slice(1 + digits, 3 + digits), text.slice(3 + digits)]
  const [degrees = 0, minutes = 0, seconds = 0] = parts.map(Number)
  return (text.startsWith('-') ? -1 : 1) * (degrees + minutes / 60 + seconds / 3600)
}

test('all 418 cities of zone.tab have their own offset, in January, in July and in the next year', async () => {
  const [zoneMap, table] = await Promise.all([loadZoneMap(), loadZoneTable()])
  assert.equal(cities.length, 418)
  const offsetOf = (name: string, at: number) => {
    const zone = table.find(name)
    assert.ok(zone, name)
    return findPeriod(zone, at).type.offset
  }
  const times = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15), Date.UTC(2027, 6, 15)].map((ms) => ms / 1000)
  const wrong = cities.filter(({ lat, lon, name }) => {
    const found = zoneMap(lat, lon).name
    return times.some((at) => offsetOf(found, at) !== offsetOf(name, at))
  })
  assert.deepEqual(wrong, [])
})

test('at least 417 of them have their own zone', async () => {
  const zoneMap = await loadZoneMap()
  const others = cities.filter(({ lat, lon, name }) => zoneMap(lat, lon).name !== name)
  assert.ok(others.length <= 1, JSON.stringify(others))
})

test('the table contains every zone on the map', async () => {
  const table = await loadZoneTable()
  const file = new URL('../data/timezones.geojson.index.json', import.meta.resolve('geo-tz/all'))
  const index = JSON.parse(readFileSync(file, 'utf8')) as { readonly timezones: readonly string[] }
  const nautical = Array.from({ length: 25 }, (_, at) => `Etc/GMT${at <= 12 ? `+${at}` : 12 - at}`)
  const names = [...index.timezones, ...nautical, 'Etc/GMT']
  assert.ok(names.length > 440)
  assert.deepEqual(
    names.filter((name) => table.find(name) === null),
    [],
  )
})
