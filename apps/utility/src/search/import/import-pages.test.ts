import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { type ServedPage, servePages } from '@tollbook/testing/servers/serve-pages'
import { onSqliteState } from '@tollbook/testing/state/every-state'
import { createWorkerPool } from '@tollbook/workers/pool'
import type { State } from '../../state/state.ts'
import { importFolder } from './import-folder.ts'
import { importUrls } from './import-urls.ts'
import { listUrls } from './list-urls.ts'

const NEVER = new AbortController().signal
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())
const fetch = createSafeFetch({ allowPrivateNetwork: true })

const page = (title: string, text: string, head = '') =>
  `<html><head><title>${title}</title>${head}</head><body><article><p>${text}</p></article></body></html>`

function optionsFor(state: State, more: { isAgain?: boolean; now?: Date } = {}) {
  const failures: string[] = []
  const steps: [number, number][] = []
  const options = {
    state,
    workers,
    fetch,
    delayMs: 0,
    signal: NEVER,
    isAgain: more.isAgain ?? false,
    now: () => more.now ?? TEST_TIME,
    onProgress: (done: number, total: number) => void steps.push([done, total]),
    onFailure: (url: string, reason: string) =>
      void failures.push(`${new URL(url, 'file:').pathname} ${reason}`),
  }
  return { options, failures, steps }
}

const retained = (state: State) => state.db.selectFrom('page').selectAll().orderBy('url').execute()

async function serving(
  pages: (url: string) => Readonly<Record<string, ServedPage | string>>,
  work: (url: string) => Promise<void>,
) {
  const served: Record<string, ServedPage | string> = {}
  const site = await servePages(served)
  Object.assign(served, pages(site.url))
  try {
    await work(site.url)
  } finally {
    site.close()
  }
}

const XML = { 'content-type': 'application/xml' }

test('a sitemap index, a feed, a page and a file of URLs are lists of pages, each once', async () => {
  await serving(
    (url) => ({
      '/sitemap.xml': {
        headers: XML,
        body: `<sitemapindex><sitemap><loc>${url}/a.xml</loc></sitemap><sitemap><loc>/sitemap.xml</loc></sitemap></sitemapindex>`,
      },
      '/a.xml': {
        headers: XML,
        body: `<urlset><url><loc>${url}/1#x</loc></url><url><loc>/2</loc></url><url><loc>${url}/1</loc></url><url><loc>ftp://x/</loc></url></urlset>`,
      },
      '/page': page('A', 'b'),
      '/none.xml': { headers: XML, body: '<urlset></urlset>' },
    }),
    async (url) => {
      const list = (place: string) => listUrls(place, { fetch, signal: NEVER })
      assert.deepEqual(await list(`${url}/sitemap.xml`), [`${url}/1`, `${url}/2`])
      assert.deepEqual(await list(`${url}/page`), [`${url}/page`])
      await assert.rejects(list(`${url}/none.xml`), { message: `${url}/none.xml lists no page` })
      await assert.rejects(list(`${url}/gone`), { message: `${url}/gone responded with 404` })
    },
  )
})

onSqliteState('pages are stored as text, once, unless they or their host forbid it', async (state) => {
  const news = `<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2026-11-20T08:00:00Z"}</script>`
  await serving(
    () => ({
      '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /private' },
      '/sea': page('The sea', 'The tide rises twice a day.', news),
      '/notes.txt': { headers: { 'content-type': 'text/plain' }, body: '# Notes\n\nLow water at noon.\n' },
      '/private/a': page('Secret', 'Nobody reads this.'),
      '/hidden': page('Hidden', 'Nobody finds this.', '<meta name="robots" content="noindex, follow">'),
      '/header': { headers: { 'x-robots-tag': 'noindex' }, body: page('Hidden too', 'By its header.') },
      '/away': { status: 302, headers: { location: '/private/a' } },
      '/gone': { status: 410 },
      '/picture': { headers: { 'content-type': 'image/gif' }, body: 'GIF89a' },
    }),
    async (url) => {
      const paths = ['sea', 'notes.txt', 'private/a', 'hidden', 'header', 'away', 'gone', 'picture']
      const urls = paths.map((path) => `${url}/${path}`)
      const first = optionsFor(state)
      const counts = await importUrls(urls, first.options)
      assert.deepEqual(counts, { imported: 2, fresh: 0, forbidden: 4, failed: 2 })
      assert.deepEqual(first.failures, ['/gone responded with 410', '/picture is image/gif, not text'])
      assert.deepEqual(first.steps.at(-1), [8, 8])
      const common = { host: '127.0.0.1', source: 'imported', fetched_at: TEST_TIME.getTime() }
      assert.deepEqual(
        (await retained(state)).map(({ id: _, ...row }) => row),
        [
          {
            ...common,
            url: `${url}/notes.txt`,
            title: 'Notes',
            content: 'Notes\nLow water at noon.',
            published_at: null,
            is_news: 0,
          },
          {
            ...common,
            url: `${url}/sea`,
            title: 'The sea',
            content: 'The tide rises twice a day.',
            published_at: Date.parse('2026-11-20T08:00:00Z'),
            is_news: 1,
          },
        ],
      )
      const again = await importUrls(urls.slice(0, 2), optionsFor(state).options)
      assert.deepEqual(again, { imported: 0, fresh: 2, forbidden: 0, failed: 0 })
      const repeated = await importUrls(urls.slice(0, 2), optionsFor(state, { isAgain: true }).options)
      assert.equal(repeated.imported, 2)
      const later = new Date(TEST_TIME.getTime() + 90_000_000)
      assert.equal(
        (await importUrls(urls.slice(0, 2), optionsFor(state, { now: later }).options)).imported,
        2,
      )
      assert.equal((await retained(state)).length, 2)
    },
  )
})

onSqliteState('nothing is fetched from a host whose robots.txt cannot be read', async (state) => {
  await serving(
    () => ({ '/robots.txt': { status: 500 }, '/a': page('A', 'Some text here.') }),
    async (url) => {
      const { options, failures } = optionsFor(state)
      const counts = await importUrls([`${url}/a`], options)
      assert.deepEqual(counts, { imported: 0, fresh: 0, forbidden: 0, failed: 1 })
      assert.deepEqual(failures, ['/a robots.txt cannot be read: the host answered 500'])
    },
  )
})

onSqliteState('a host that fails ten times in a row is skipped', async (state) => {
  await serving(
    () => ({}),
    async (url) => {
      const { options, failures } = optionsFor(state)
      const urls = Array.from({ length: 25 }, (_, at) => `${url}/${at}`)
      assert.equal((await importUrls(urls, options)).failed, 25)
      assert.equal(failures.length, 11)
      assert.match(failures[10] ?? '', /its other 15 pages are skipped$/)
    },
  )
})

onSqliteState('the files of a folder are stored under the URLs where they are published', async (state) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-pages-'))
  try {
    await mkdir(join(folder, 'guide'))
    writeFileSync(join(folder, 'guide', 'index.html'), page('Guide', 'How to read a tide table.'))
    writeFileSync(join(folder, 'high water.md'), 'High water\n\nIt comes 50 minutes later each day.')
    writeFileSync(join(folder, 'logo.png'), 'PNG')
    const base = 'https://docs.example.com/v1'
    const now = new Date(Date.now() + 60_000)
    const { options } = optionsFor(state, { now })
    assert.equal((await importFolder(folder, { ...options, base })).imported, 2)
    assert.deepEqual(
      (await retained(state)).map(({ url, title }) => [url, title]),
      [
        ['https://docs.example.com/v1/guide/', 'Guide'],
        ['https://docs.example.com/v1/high%20water.md', 'High water'],
      ],
    )
    assert.deepEqual(await importFolder(folder, { ...options, base }), {
      imported: 0,
      fresh: 2,
      forbidden: 0,
      failed: 0,
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
