import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readOpenApi } from '@tollbook/report/listings/merchant/openapi-document'
import { readWellKnown } from '@tollbook/report/listings/merchant/well-known'
import { FACILITATOR_LIST } from '@tollbook/verify/chain/facilitators'
import { toVerificationDocument } from '@tollbook/verify/render-verification'
import { METHOD_VERSION, SCREENS } from '@tollbook/verify/screen/screens'

const text = readFileSync('docs/screens.md', 'utf8')

test('docs/screens.md lists every screen by priority, with its version', () => {
  const rows = [...text.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, kind, version]) => [
    kind,
    Number(version),
  ])
  assert.deepEqual(
    rows,
    SCREENS.map(({ kind, version }) => [kind, version]),
  )
})

test('docs/screens.md names the method and the list of facilitators in use', () => {
  assert(text.includes(`Method version: ${METHOD_VERSION}.`))
  assert(text.includes(FACILITATOR_LIST.replace(' ', ' at ')))
})

test('docs/verify.md shows the object of a verification with the fields that it has, of the method in use', () => {
  const document = readFileSync('docs/verify.md', 'utf8')
  const [, example = ''] = /```json\n(.*?)```/s.exec(document) ?? []
  const shown = JSON.parse(example) as Record<string, unknown>
  const verified = {
    report: { address: '' },
    inputs: { edition: 'rolling', revision: 0, method: { version: '' } },
    checks: [],
    notes: [],
    isEqual: true,
  } as unknown as Parameters<typeof toVerificationDocument>[0]
  assert.deepEqual(Object.keys(shown), Object.keys(toVerificationDocument(verified)))
  assert.equal(shown.method, METHOD_VERSION)
  for (const field of Object.keys(shown).filter((name) => !['address', 'checks'].includes(name)))
    assert.match(document, new RegExp(`^\\| \`${field}\` \\|`, 'm'))
})

test('the listing documents that docs/listings.md describes to merchants are read as listings', () => {
  const listings = readFileSync('docs/listings.md', 'utf8')
  const [, info = ''] = /`("x-payment-info": .*?)`\.\n/.exec(listings) ?? []
  const payee = `0x${'a1'.repeat(20)}`
  const operation = JSON.parse(`{${info.replace('0x…', payee)}}`) as object
  const base = 'https://api.example.com/openapi.json'
  const stated = readOpenApi(
    { openapi: '3.1.0', paths: { '/weather': { get: operation } } },
    base,
    new Date(0),
  )
  assert.deepEqual(
    stated.listings.map((each) => [each.resource, each.payTo, each.price]),
    [['https://api.example.com/weather', payee, 10_000n]],
  )
  const [, wellKnown = ''] = /\/\.well-known\/x402` on your host\.\*\* `(.*?)`/.exec(listings) ?? []
  const { candidates } = readWellKnown(JSON.parse(wellKnown), base, new Date(0))
  assert.deepEqual(
    candidates.map(({ resource }) => resource),
    ['https://api.example.com/weather'],
  )
})
