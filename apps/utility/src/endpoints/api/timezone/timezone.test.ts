import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { createWorkerPool } from '@tollbook/workers/pool'
import { timezone } from './endpoint.ts'

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())
const ask = (provided: object) => runEndpoint(timezone, provided, { ports: { workers } })

test("the example is the endpoint's answer", async () => {
  assert.deepEqual(await ask(timezone.example.input), timezone.example.output)
})

test('a location is answered for the requested time, under any alias of its coordinates', async () => {
  const summer = await ask({ latitude: 40.7128, lng: -74.006, at: '2026-07-01T12:00:00-04:00' })
  const { timezone: name, utc_offset, abbreviation, dst, dst_offset_seconds, local_time, at } = summer
  assert.deepEqual(
    { name, utc_offset, abbreviation, dst, dst_offset_seconds, local_time, at },
    {
      name: 'America/New_York',
      utc_offset: '-04:00',
      abbreviation: 'EDT',
      dst: true,
      dst_offset_seconds: 3600,
      local_time: '2026-07-01T12:00:00-04:00',
      at: '2026-07-01T16:00:00.000Z',
    },
  )
  // The first Sunday of November 2026 is the 1st; at 02:00 EDT it is 06:00 UTC.
  assert.deepEqual(summer.next_transition, {
    at: '2026-11-01T06:00:00.000Z',
    utc_offset: '-05:00',
    utc_offset_seconds: -18_000,
    abbreviation: 'EST',
    dst: false,
  })
})

test('where winter time is the exception, it is reported as such', async () => {
  const dublin = { lat: 53.35, lon: -6.26 }
  const winter = await ask({ ...dublin, at: '2026-12-24T12:00Z' })
  const summer = await ask({ ...dublin, at: '2026-06-24T12:00Z' })
  assert.deepEqual([winter.abbreviation, winter.dst, winter.dst_offset_seconds], ['GMT', true, -3600])
  assert.deepEqual([summer.abbreviation, summer.dst, summer.dst_offset_seconds], ['IST', false, 0])
  // Morocco moved its clocks back an hour for Ramadan 2026, from 15 February to 22 March.
  const rabat = await ask({ lat: 34.02, lon: -6.84, at: '2026-03-01T00:00Z' })
  assert.deepEqual(
    [rabat.timezone, rabat.abbreviation, rabat.dst, rabat.dst_offset_seconds],
    ['Africa/Casablanca', '+00', true, -3600],
  )
})

test('DST of half an hour, and offsets of quarter hours, are exact', async () => {
  const lordHowe = await ask({ lat: -31.55, lon: 159.08, at: '2026-01-01T00:00Z' })
  assert.deepEqual([lordHowe.utc_offset, lordHowe.dst_offset_seconds], ['+11:00', 1800])
  const kathmandu = await ask({ lat: 27.7172, lon: 85.324 })
  assert.deepEqual([kathmandu.utc_offset, kathmandu.next_transition], ['+05:45', null])
  // Liberia used an offset of 44 minutes and 30 seconds until 1972.
  const monrovia = await ask({ lat: 6.3, lon: -10.8, at: '1971-01-01T00:00Z' })
  assert.deepEqual([monrovia.utc_offset, monrovia.local_time], ['-00:44:30', '1970-12-31T23:15:30-00:44:30'])
})

test('several zones, the sea and the poles have notes', async () => {
  const urumqi = await ask({ lat: 43.8, lon: 87.6 })
  assert.deepEqual([urumqi.timezone, urumqi.alternatives], ['Asia/Urumqi', ['Asia/Shanghai']])
  assert.match(urumqi.note, /More than one zone/)
  const atlantic = await ask({ lat: 30, lon: -30 })
  assert.deepEqual([atlantic.timezone, atlantic.utc_offset], ['Etc/GMT+2', '-02:00'])
  assert.match(atlantic.note, /at sea; the nautical zone UTC-02:00/)
  const north = await ask({ lat: 90, lon: 12 })
  assert.deepEqual([north.timezone, north.alternatives, north.utc_offset], ['Etc/UTC', [], '+00:00'])
  assert.match(north.note, /North Pole/)
  assert.equal((await ask({ lat: -90, lon: 12 })).timezone, 'Antarctica/McMurdo')
  const dateLine = await ask({ lat: 0, lon: 180 })
  assert.deepEqual([dateLine.timezone, ...dateLine.alternatives].sort(), ['Etc/GMT+12', 'Etc/GMT-12'])
})

test('invalid coordinates and times are reported before payment', () => {
  const faulty = (provided: object) => issuesOf(timezone, provided).map(({ parameter }) => parameter)
  assert.deepEqual(faulty({ lat: 91, lon: 0 }), ['lat'])
  assert.deepEqual(faulty({ lat: 0, lon: -180.1 }), ['lon'])
  assert.deepEqual(faulty({ lat: Number.NaN, lon: 0 }), ['lat'])
  assert.deepEqual(faulty({ lat: 1 }), ['lon'])
  assert.deepEqual(faulty({ lat: 1, latitude: 1, lon: 1 }), ['lat'])
  for (const at of [
    '2026-07-01',
    '2026-07-01T12:00',
    '2026-02-30T00:00Z',
    '1969-12-31T23:59Z',
    '2101-01-01T00:00Z',
  ])
    assert.deepEqual(faulty({ lat: 1, lon: 1, at }), ['at'], at)
  for (const at of [
    '2026-07-01T12:00:00.5Z',
    '2026-07-01T12:00 02:00',
    '2026-07-01t12:00-0330',
    '1970-01-01T00:00Z',
  ])
    assert.deepEqual(faulty({ lat: 1, lon: 1, at }), [], at)
})
