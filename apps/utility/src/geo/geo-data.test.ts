import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findPackagedSets } from './data-set.ts'
import { GeoFileError, openGeoData } from './geo-data.ts'
import { loadFile } from './loaded-file.ts'

const fileOf = (name: string) => fileURLToPath(new URL(`testdata/${name}.mmdb`, import.meta.url))
const { signal } = new AbortController()
const open = (files: readonly string[], attribution: string | null = null) =>
  openGeoData({ files, attribution })

test("the operator's files take precedence, with the operator's attribution", async () => {
  const locate = await open([fileOf('GeoIP2-City-Test')], 'Data by someone.')
  const own = await locate('175.16.199.1', signal)
  assert.deepEqual(
    [own?.city, own?.source, own?.attribution],
    ['Changchun', 'GeoIP2-City', 'Data by someone.'],
  )
  // MaxMind's test file does not contain 193.0.0.0/21, which the registry assigned to RIPE NCC in the
  // Netherlands.
  const other = await locate('193.0.6.139', signal)
  assert.equal(other?.country, 'NL')
  assert.notEqual(other?.source, 'GeoIP2-City')
})

test('without files of the operator, addresses of both families have a country and an attribution', async () => {
  const locate = await open([])
  // Hosts of RIPE NCC, in both families, and of APNIC.
  const known = {
    '193.0.6.139': 'NL',
    '2001:67c:2e8:22::c100:68b': 'NL',
    '203.119.101.61': 'AU',
  }
  for (const [address, country] of Object.entries(known)) {
    const place = await locate(address, signal)
    assert.equal(place?.country, country, address)
    assert.ok(place?.attribution.includes('https://'))
  }
})

test('an IPv4 file is not queried for IPv6', async () => {
  const families = findPackagedSets().map(({ family, path }) => path.endsWith(`ipv${family}.mmdb`))
  assert.ok(families.length >= 2 && families.every(Boolean))
})

test('the error names a file that is missing or not an mmdb file', async () => {
  for (const path of [fileOf('invalid-string-length'), fileOf('not-there'), fileURLToPath(import.meta.url)]) {
    await assert.rejects(open([path]), (error) => error instanceof GeoFileError && error.path === path)
  }
})

test('a newer file replaces the older one, which is used until the newer one can be read', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-geo-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'city.mmdb')
  copyFileSync(fileOf('GeoIP2-City-Test'), path)
  let nowMs = 0
  const file = loadFile(path, () => nowMs)
  const textOf = async () => Buffer.from(await file.read()).toString('latin1')
  const first = readFileSync(path, 'latin1')
  assert.equal(await textOf(), first)
  writeFileSync(path, 'newer')
  utimesSync(path, 1, 1)
  assert.equal(await textOf(), first)
  nowMs += 61_000
  assert.equal(await textOf(), 'newer')
  rmSync(path)
  nowMs += 61_000
  assert.equal(await textOf(), 'newer')
})
