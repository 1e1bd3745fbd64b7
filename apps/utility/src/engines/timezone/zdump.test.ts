import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { findPeriod, writeLocalTime, writeOffset } from './clock-period.ts'
import type { LocalType, Zone } from './zone.ts'
import { loadZoneTable, readDataLines } from './zone-table.ts'

const START = 0
const END = Date.UTC(2101, 0, 1) / 1000

test("all zones change their clocks from 1970 to 2100 exactly as in zdump's output", async () => {
  const table = await loadZoneTable()
  const expected = (await readDataLines('zdump.txt')).flatMap((line) => {
    const [names = '', digest] = line.split('|')
    return names.split(' ').map((name) => ({ name, digest }))
  })
  assert.deepEqual(expected.map(({ name }) => name).sort(), [...table.names].sort())
  assert.ok(expected.length > 590)
  const wrong = expected.filter(({ name, digest }) => {
    const zone = table.find(name)
    assert.ok(zone)
    return digestOf(zone) !== digest
  })
  assert.deepEqual(wrong, [])
})

test('the last day of zones with rule-based changes is computed like any other', async () => {
  const zone = (await loadZoneTable()).find('Europe/Dublin')
  assert.ok(zone)
  // 2100-10-31 is the last Sunday of October: winter time, the negative exception, from 01:00 UTC.
  const at = Date.UTC(2100, 9, 31, 1) / 1000
  assert.deepEqual(findPeriod(zone, at).type, { offset: 0, isDst: true, abbreviation: 'GMT' })
  assert.deepEqual(findPeriod(zone, at - 1).type, { offset: 3600, isDst: false, abbreviation: 'IST' })
  assert.deepEqual(
    [at, at - 1].map((seconds) => findPeriod(zone, seconds).standardOffset),
    [3600, 3600],
  )
})

test('DST that begins or ends with a change of standard time is an hour ahead of the right one', async () => {
  const table = await loadZoneTable()
  // By tzdata.zi: Grand Turk left AST (-4) for EST with DST, Knox left EST for CST with DST, Edmonton stays at -6 as standard time.
  for (const [name, at, offset, standardOffset] of [
    ['America/Grand_Turk', '2018-06-01T00:00Z', -4, -5],
    ['America/Indiana/Knox', '2006-06-01T00:00Z', -5, -6],
    ['America/Edmonton', '2026-06-01T00:00Z', -6, -7],
  ] as const) {
    const zone = table.find(name)
    assert.ok(zone)
    const period = findPeriod(zone, Date.parse(at) / 1000)
    assert.deepEqual(
      [period.type.isDst, period.type.offset, period.standardOffset],
      [true, offset * 3600, standardOffset * 3600],
      name,
    )
  }
})

/** Iterates over the changes and writes the output of `zdump -i -c 1970,2101`. */
function digestOf(zone: Zone): string {
  const first = findPeriod(zone, START)
  const lines = [`-\t-\t${writeType(first.type)}`]
  for (let next = first.next; next && next.seconds < END; next = findPeriod(zone, next.seconds).next) {
    assert.deepEqual(findPeriod(zone, next.seconds).type, next.type)
    const [date, time = ''] = writeLocalTime(next.seconds, next.type.offset).split('T')
    lines.push(`${date}\t${time.slice(0, 8).replace(/(:00){1,2}$/, '')}\t${writeType(next.type)}`)
  }
  return createHash('sha256')
    .update(`${lines.join('\n')}\n`)
    .digest('hex')
    .slice(0, 32)
}

/** The offset, then the abbreviation if it differs from the offset, then 1 for DST. */
function writeType({ offset, isDst, abbreviation }: LocalType): string {
  const sign = abbreviation === '-00' ? '-' : writeOffset(offset).slice(0, 1)
  const [hours, ...rest] = writeOffset(offset).slice(1).split(':')
  const shown = sign + hours + rest.join('').replace(/^00$/, '')
  const name = abbreviation === shown ? '' : abbreviation
  return [shown, ...(isDst ? [name, '1'] : name === '' ? [] : [name])].join('\t')
}
