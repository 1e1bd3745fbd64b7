import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { createWorkerPool } from '@tollbook/workers/pool'
import { a11yCheck } from './endpoint.ts'

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
let site: Awaited<ReturnType<typeof servePages>>
before(async () => {
  const page = (sheet: string) =>
    `<html lang=en><head><title>x</title><link rel=stylesheet href="${sheet}"></head><body><main><h1>Tides</h1><p class=a>grey words</p></main></body></html>`
  site = await servePages({
    '/styled': page('/a.css'),
    '/unstyled': page('/gone.css'),
    '/a.css': { body: '.a{color:#888}', headers: { 'content-type': 'text/css' } },
    '/deep': '<div>'.repeat(20_000),
  })
})
after(async () => {
  site.close()
  await workers.close()
})
const ports = { fetch: createSafeFetch({ allowPrivateNetwork: true }), workers }
const ask = (path: string, more: object = {}) =>
  runEndpoint(a11yCheck, { url: `${site.url}${path}`, ...more }, { ports })

test('linked sheets are read to determine colours', async () => {
  const answer = await ask('/styled', { level: 'AA' })
  assert.deepEqual(answer.stylesheets, { linked: 1, read: 1 })
  assert.deepEqual(
    answer.findings.map((one: { rule: string }) => one.rule),
    ['color-contrast'],
  )
  const [{ nodes, success_criteria, level }] = answer.findings
  // #888 has a luminance of 0.2462: 1.05 / 0.2962 = 3.54.
  assert.match(
    nodes[0].message,
    /^The contrast is 3\.54:1 \(#888888 on #ffffff\), below the required 4\.5:1\.$/,
  )
  assert.deepEqual([success_criteria[0].sc, level], ['1.4.3', 'AA'])
  assert.deepEqual(answer.summary.by_level, { A: 0, AA: 1, AAA: 0, best_practice: 0 })
  assert.ok(answer.not_testable_statically.some((one: { sc: string }) => one.sc === '2.4.7'))
})

test('an unreadable sheet does not fail the check of the page', async () => {
  const answer = await ask('/unstyled')
  assert.deepEqual(answer.stylesheets, { linked: 1, read: 0 })
  assert.deepEqual(answer.findings, [])
  assert.ok(answer.passes.includes('document-title'))
})

test('HTML in the request is checked as sent, with the sheets that its base URL leads to', async () => {
  const html = `<html lang=en><head><title>é</title><link rel=stylesheet href="/a.css"></head><body><main><h1>Tides</h1><p class=a>grey</p></main></body></html>`
  const check = (provided: object) => runEndpoint(a11yCheck, { html, level: 'AA', ...provided }, { ports })
  const alone = await check({})
  assert.deepEqual([alone.url, alone.final_url, alone.status, alone.fetch_ms], [null, null, null, null])
  // One of its characters takes two bytes.
  assert.equal(alone.bytes, html.length + 1)
  assert.deepEqual([alone.findings, alone.stylesheets], [[], { linked: 1, read: 0 }])
  const placed = await check({ url: `${site.url}/nowhere` })
  assert.deepEqual([placed.url, placed.status], [`${site.url}/nowhere`, null])
  assert.deepEqual(placed.stylesheets, { linked: 1, read: 1 })
  assert.deepEqual(
    placed.findings.map((one: { rule: string }) => one.rule),
    ['color-contrast'],
  )
})

test('a page that is too deep is rejected and not charged', async () => {
  await assert.rejects(ask('/deep'), { message: /^cannot_be_served: The page cannot be processed/ })
})

test('an unknown level, a missing page and a page too long are reported before payment', () => {
  assert.equal(issuesOf(a11yCheck, { url: 'https://example.com', level: 'B' })[0]?.parameter, 'level')
  assert.equal(issuesOf(a11yCheck, {})[0]?.parameter, 'url')
  assert.equal(issuesOf(a11yCheck, { html: 'x'.repeat(1_000_001) })[0]?.parameter, 'html')
})

test('a page whose content scripts make has no score, and is left for review', async () => {
  const shell = (body: string) =>
    `<html lang=en><head><title>App</title></head><body><div id=root>${body}</div><script src=/app.js></script></body></html>`
  const check = (html: string) => runEndpoint(a11yCheck, { html }, { ports })
  const rulesOf = ({ needs_review }: { needs_review: readonly { rule: string }[] }) =>
    needs_review.map(({ rule }) => rule)
  const empty = await check(shell('Loading ...'))
  assert.equal(empty.score, null)
  assert.deepEqual(rulesOf(empty), ['content-by-script'])
  assert.match(empty.needs_review[0].nodes[0].message, /Send it as html after its scripts ran/)
  // Ten words, or something to operate, are content that came with the page.
  for (const body of ['one two three four five six seven eight nine ten', '<button>Start</button>']) {
    const answer = await check(shell(body))
    assert.deepEqual([answer.score, rulesOf(answer).includes('content-by-script')], [100, false], body)
  }
  // Without scripts it is an empty page; JSON-LD adds nothing to it.
  const blank = shell('').replace('src=/app.js', 'type="application/ld+json"')
  assert.equal((await check(blank)).score, 100)
})
