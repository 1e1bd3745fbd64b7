import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { isTyped, loadPublished, locateDocuments, toReportLocation } from './load-published.ts'
import { createDocumentSource } from './node/document-source.ts'
import { CannotCheck, UnusableDocument } from './published/failure.ts'
import { parsePublishedReport } from './published/published-report.ts'

const signal = new AbortController().signal
const SHOP = `0x${'5a'.repeat(20)}`
const WINDOW = {
  start_block: 1,
  end_block: 302_401,
  start: '2026-11-08T12:00:01+00:00',
  end: '2026-11-15T12:00:01+00:00',
}
const REPORT = {
  schema_version: '1',
  chain: 'base',
  address: SHOP,
  window: WINDOW,
  page: `https://a.example/${SHOP}`,
}
const source = createDocumentSource()
const folder = temporaryFolder('verify')
const server = createServer((request, response) => {
  if (request.url === '/moved') response.writeHead(302, { location: '/report' }).end()
  else if (request.url === '/report') response.end(JSON.stringify(REPORT))
  else response.writeHead(404).end()
})
let origin = ''

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => {
  server.close()
})

function toFile(content: string | Uint8Array): string {
  const path = join(folder, 'report.json')
  writeFileSync(path, content)
  return path
}

const load = (report: string) => loadPublished({ report }, source, signal)

test('hostile documents are rejected with the reason', async () => {
  const cases: readonly (readonly [string | Uint8Array, RegExp])[] = [
    ['', /is not JSON/],
    [new Uint8Array([0x22, 0xff, 0x22]), /is not JSON/],
    ['null', /not a merchant report: document: /],
    ['[]', /not a merchant report/],
    ['{"__proto__": {"schema_version": "1"}}', /schema_version: /],
    [JSON.stringify({ ...REPORT, window: { ...WINDOW, end_block: '302401' } }), /window\.end_block: /],
    [JSON.stringify({ ...REPORT, window: { ...WINDOW, end_block: 1.5 } }), /window\.end_block: /],
    [JSON.stringify(REPORT).replace('302401', '1e999'), /window\.end_block: /],
    [JSON.stringify({ ...REPORT, window: { ...WINDOW, end: '2026-11-15T99:00:01+00:00' } }), /window\.end: /],
    [JSON.stringify({ ...REPORT, address: `${SHOP}'` }), /address: /],
    [`${'['.repeat(1_000_000)}`, /is not JSON/],
    ['"'.padEnd(4_000_001, ' '), /the report is too large \(limit 4000000 bytes\)/],
  ]
  for (const [content, reason] of cases) {
    await assert.rejects(load(toFile(content)), (error: Error) => {
      assert(error instanceof UnusableDocument, error.stack)
      assert.match(error.message, reason)
      return true
    })
  }
})

test('reading an endless file stops at the limit', async () => {
  await assert.rejects(load('/dev/zero'), /limit 4000000 bytes/)
})

test('a missing document cannot be checked', async () => {
  const absent = async (report: string, reason: RegExp) =>
    assert.rejects(load(report), (error: Error) => {
      assert(error instanceof CannotCheck, error.stack)
      assert.match(error.message, reason)
      return true
    })
  await absent(join(folder, 'absent.json'), /ENOENT/)
  await absent(folder, /EISDIR/)
  await absent(`${origin}/absent`, /not found/)
  await absent('http://127.0.0.1:1/report', /cannot read/)
  await absent(toFile(JSON.stringify({ ...REPORT, page: 5 })), /--inputs/)
})

test('a private address is read when a person typed it, never because a report or a redirect contains it', async () => {
  await assert.rejects(load(`${origin}/report`), /inputs/)
  await assert.rejects(load(`${origin}/moved`), /status 302/)
  const page = `${origin}/merchants/base/${SHOP}`
  await assert.rejects(load(toFile(JSON.stringify({ ...REPORT, page }))), /private address must be typed/)
})

test('the documents of a report are next to it, for the same week', () => {
  const report = parsePublishedReport({ ...REPORT, page: `https://a.example/x/merchants/base/${SHOP}` })
  const typed = `https://b.example:8443/merchants/base/${SHOP}`
  const beside = (base: string, search = '') => ({
    inputs: `${base}/inputs.json${search}`,
    evidence: `${base}/payments.ndjson${search}`,
    claim: `${base}/claim.json`,
    ranking: `${base.replace(`/merchants/base/${SHOP}`, '/merchants.json')}${search}`,
  })
  assert.equal(toReportLocation(`${typed}?week=2026-11-15`), `${typed}.json?week=2026-11-15`)
  assert.equal(toReportLocation(`${typed}.json`), `${typed}.json`)
  assert.deepEqual(
    locateDocuments({ report: `${typed}.json?week=2026-11-15` }, report),
    beside(typed, '?week=2026-11-15'),
  )
  assert.deepEqual(
    locateDocuments({ report: 'file.json', inputs: `${typed}/inputs.json` }, report),
    beside(typed),
  )
  // A report that ends when weeks do is the report of a week.
  const page = `https://a.example/x/merchants/base/${SHOP}`
  assert.deepEqual(locateDocuments({ report: 'file.json' }, report), beside(page, '?week=2026-11-15'))
  const files = { report: 'file.json', inputs: 'inputs.json', claim: 'claim.json' }
  const at = { inputs: 'inputs.json', evidence: null, claim: 'claim.json', ranking: null }
  assert.deepEqual(locateDocuments(files, report), at)
  assert(isTyped(`https://b.example:8443/other`, { report: typed }))
  assert(!isTyped('https://b.example/other', { report: typed }))
})
