import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePublishedReport } from '../published/published-report.ts'
import { checkLocation } from './check-location.ts'

const SHOP = `0x${'5a'.repeat(20)}`
const REPORT = parsePublishedReport({
  schema_version: '1',
  chain: 'base',
  address: SHOP,
  window: {
    start_block: 1,
    end_block: 302_401,
    start: '2026-11-09T00:00:00+00:00',
    end: '2026-11-16T00:00:00+00:00',
  },
})

function differences(location: string, edition: string, revision = 0): readonly string[] {
  const checks = checkLocation(location, { report: REPORT, inputs: { edition, revision } })
  return checks.filter(({ verdict }) => verdict === 'differs').map(({ field }) => field)
}

test('found: a URL that returns the report of another merchant, week or length', () => {
  const at = `https://a.example/x/merchants/base/${SHOP.toUpperCase().replace('X', 'x')}.json`
  assert.deepEqual(differences(`${at}?week=2026-11-15`, '2026-11-15'), [])
  assert.deepEqual(differences(at, 'rolling'), [])
  assert.deepEqual(differences(`${at}?days=14`, 'rolling-14'), [])
  assert.deepEqual(differences(at.replace(/5a/i, '5b'), 'rolling'), ['url.merchant'])
  for (const edition of ['2026-11-08', 'rolling', 'rolling-14'])
    assert.deepEqual(differences(`${at}?week=2026-11-15`, edition), ['url.window'])
  assert.deepEqual(differences(`${at}?days=14`, 'rolling'), ['url.window'])
  assert.deepEqual(differences(at, '2026-11-15'), ['url.window'])
})

test('found: a URL of one revision that returns another', () => {
  const at = `https://a.example/merchants/base/${SHOP}.json?week=2026-11-15`
  assert.deepEqual(differences(`${at}&revision=1`, '2026-11-15', 1), [])
  assert.deepEqual(differences(at, '2026-11-15', 2), [])
  assert.deepEqual(differences(`${at}&revision=1`, '2026-11-15', 2), ['url.revision'])
})

test('a file, or a copy at another path, may have the report of any merchant', () => {
  for (const location of ['report.json', `merchants/base/${SHOP}.json`, 'https://a.example/report.json'])
    assert.deepEqual(
      checkLocation(location, { report: REPORT, inputs: { edition: 'rolling', revision: 0 } }),
      [],
    )
})
