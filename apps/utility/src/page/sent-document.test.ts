import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { UploadedFile } from '@tollbook/http/request/uploaded-file'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { writePdf } from '@tollbook/testing/write-pdf'
import { createWorkerPool } from '@tollbook/workers/pool'
import { scrape } from '../endpoints/api/scrape/endpoint.ts'
import { summarize } from '../endpoints/api/summarize/endpoint.ts'

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())

const PDF = writePdf([
  [[72, 700, 11, 'The oldest harbour was built of oak, and nobody knows who paid for it.']],
])
const SENTENCE = 'The oldest harbour was built of oak, and nobody knows who paid for it.'
const ports = {
  workers,
  fetch: () => {
    throw new Error('a sent document is not fetched')
  },
}
const fileOf = (contentType: string, content: string | Uint8Array): UploadedFile => ({
  contentType,
  bytes: Buffer.from(content),
})
const send = (endpoint: typeof scrape, file: UploadedFile, provided = {}) =>
  runEndpoint(endpoint, { ...provided, file: new File([], 'a') }, { ports, file })

test('a PDF that is sent is read as one at a URL, and nothing is fetched', async () => {
  const { url, final_url, status, fetched_at, bytes, markdown, extractor } = await send(
    scrape,
    fileOf('application/pdf', PDF),
  )
  assert.deepEqual([url, final_url, status, fetched_at, bytes], [null, null, null, null, PDF.byteLength])
  assert.deepEqual([markdown, extractor], [`${SENTENCE}\n`, 'document'])
  const { summary } = await send(summarize, fileOf('application/octet-stream', PDF))
  assert.equal(summary, SENTENCE)
})

test('Markdown, text and JSON that are sent are read by their types', async () => {
  for (const [file, markdown] of [
    [fileOf('text/markdown', '# Tides\n\n**Spring** tide.\n'), '# Tides\n\n**Spring** tide.\n'],
    [fileOf('text/plain', 'Spring tide.\n'), 'Spring tide.\n'],
    [fileOf('application/json', '{"tide": 7}'), '```json\n{"tide": 7}\n```\n'],
  ] as const)
    assert.equal((await send(scrape, file)).markdown, markdown)
})

test('links of HTML that is sent are resolved by its URL', async () => {
  const html = '<p>See <a href="tides">the tides</a> of the harbour.</p>'
  const { url, markdown } = await runEndpoint(
    scrape,
    { html, url: 'https://sea.example/x/', main_only: false },
    { ports },
  )
  assert.deepEqual(
    [url, markdown],
    ['https://sea.example/x/', 'See [the tides](https://sea.example/x/tides) of the harbour.\n'],
  )
})

test('options that need a fetch, and files that are not read, are refused before payment', () => {
  const browser = {}
  for (const [option, parameter] of [
    [{ urls: ['https://sea.example/'] }, 'urls'],
    [{ render: 'always' }, 'render'],
    [{ wait_for: 'p' }, 'wait_for'],
    [{ formats: ['screenshot'] }, 'formats'],
    [{ headers: { dnt: '1' } }, 'headers'],
    [{ language: 'de' }, 'language'],
    [{ max_age: 5 }, 'max_age'],
  ] as const) {
    const issues = issuesOf(scrape, { html: '<p>x</p>', ...option }, { browser })
    assert.deepEqual(issues[0], {
      parameter,
      detail: 'needs a page that is fetched, not html or file',
    })
  }
  const codeOf = (file: UploadedFile, provided = {}) =>
    issuesOf(scrape, { file: new File([], 'x'), ...provided }, {}, file).map(
      ({ code, detail }) => code ?? detail,
    )
  assert.deepEqual(codeOf(fileOf('video/mp4', 'x')), ['unsupported_media_type'])
  assert.deepEqual(codeOf(fileOf('application/pdf', '')), ['is empty'])
  assert.deepEqual(codeOf(fileOf('text/html', 'x'.repeat(5_000_001))), ['too_large'])
  assert.deepEqual(codeOf(fileOf('text/markdown', 'x'), { html: 'x' }), ['is allowed only without html'])
})
