import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fc } from '@tollbook/testing/property'
import { findPlace } from './find-place.ts'

const FOLDER = fileURLToPath(new URL('testdata/', import.meta.url))
const files = globSync(`${FOLDER}*.mmdb`)
const setOf = (name: string) => ({
  bytes: readFileSync(`${FOLDER}${name}.mmdb`),
  name: null,
  attribution: null,
})
const ask = (address: string, ...names: readonly string[]) => findPlace({ address, sets: names.map(setOf) })

const ADDRESSES = [
  '0.0.0.0',
  '1.1.1.1',
  '81.2.69.142',
  '175.16.199.1',
  '214.78.120.5',
  '255.255.255.255',
  '::',
  '::1',
  '2001:218::1',
  '2001:220::1',
  '2a02:cf40::',
  'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
]

test("locations in MaxMind's test file match its source", async () => {
  const place = await ask('81.2.69.142', 'GeoIP2-City-Test')
  assert.ok(place)
  const { attribution, sourceDate, ...london } = place
  assert.deepEqual(london, {
    country: 'GB',
    countryName: 'United Kingdom',
    region: 'England',
    city: 'London',
    postal: null,
    lat: 51.5142,
    lon: -0.0931,
    timezone: 'Europe/London',
    accuracy: 'city-approximate',
    source: 'GeoIP2-City',
  })
  assert.match(attribution, /MaxMind/)
  assert.match(sourceDate ?? '', /^20\d\d-\d\d-\d\d$/)
  const tokyo = await ask('2001:218::1', 'GeoIP2-City-Test')
  assert.deepEqual([tokyo?.country, tokyo?.city, tokyo?.accuracy], ['JP', null, 'country'])
  const diego = await ask('214.78.120.5', 'GeoIP2-City-Test')
  assert.deepEqual(
    [diego?.city, diego?.postal, diego?.timezone],
    ['San Diego', '92105', 'America/Los_Angeles'],
  )
})

test('if a data set has no location or is damaged, the next one is used', async () => {
  const damaged = 'GeoIP2-City-Test-Invalid-Node-Count'
  const next = await ask('81.2.69.142', 'GeoLite2-ASN-Test', damaged, 'GeoIP2-City-Test')
  assert.equal(next?.city, 'London')
  assert.equal(await ask('81.2.69.142', 'GeoLite2-ASN-Test', damaged), null)
})

test('invalid coordinates are omitted', async () => {
  const place = await ask('81.2.69.142', 'GeoIP2-City-Test-Broken-Double-Format')
  assert.deepEqual([place?.country, place?.lat, place?.lon], ['GB', null, null])
})

test('a damaged file only yields no result', async () => {
  assert.ok(files.length >= 30)
  for (const file of files) {
    for (const address of ADDRESSES) {
      const place = await ask(address, basename(file, '.mmdb'))
      assert.ok(place === null || /^GeoIP2-City/.test(basename(file)), `${file} ${address}`)
    }
  }
})

test('a randomly damaged file only yields no result', async () => {
  const sound = readFileSync(`${FOLDER}GeoIP2-City-Test.mmdb`)
  const damage = fc.array(fc.tuple(fc.nat(sound.length - 1), fc.nat(255)), { minLength: 1, maxLength: 60 })
  const address = fc.constantFrom(...ADDRESSES)
  await fc.assert(
    fc.asyncProperty(damage, fc.nat(sound.length), address, async (bytes, end, requested) => {
      const damaged = Buffer.from(end % 3 === 0 ? sound.subarray(0, end) : sound)
      for (const [at, value] of bytes) damaged[at % Math.max(1, damaged.length)] = value
      const place = await findPlace({
        address: requested,
        sets: [{ bytes: damaged, name: null, attribution: null }],
      })
      if (place?.lat != null) assert.ok(Math.abs(place.lat) <= 90)
      if (place?.country != null) assert.match(place.country, /^[A-Z]{2}$/)
    }),
    { numRuns: 150 },
  )
})
