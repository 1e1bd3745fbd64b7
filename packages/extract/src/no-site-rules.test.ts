import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const here = new URL('.', import.meta.url).pathname
const sources = globSync(`${here}**/*.ts`).filter((file) => !file.endsWith('.test.ts'))
/** A domain name under a common top-level domain, also with the dot escaped as in a regular expression. */
const HOST =
  /(?:[a-z0-9-]+\\?\.)+(?:com|org|net|io|edu|gov|dev|app|ai|blog|news|shop|store|co\\?\.uk|de|fr|eu|ru|jp|cn)\b(?!\()/gi
/** The vocabulary of structured data, and reserved names. */
const NO_SITE = /^(?:schema\\?\.org|example\.com)$/i

test('no extraction rule names a site', () => {
  assert.ok(sources.length > 10)
  const named = sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(HOST)]
      .map(([host]) => host)
      .filter((host) => !NO_SITE.test(host))
      .map((host) => `${file}: ${host}`),
  )
  assert.deepEqual(named, [])
})

test('the check for site names detects one', () => {
  for (const rule of ["'news.site.com'", '/forum\\.site\\.org/', "host === 'site.co.uk'"])
    assert.notDeepEqual(rule.match(HOST), null, rule)
})
