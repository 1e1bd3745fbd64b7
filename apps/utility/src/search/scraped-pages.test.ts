import assert from 'node:assert/strict'
import { after } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { onSqliteState } from '@tollbook/testing/state/every-state'
import { createWorkerPool } from '@tollbook/workers/pool'
import type { Page } from '../page/read-page.ts'
import type { State } from '../state/state.ts'
import { createScrapedPages } from './scraped-pages.ts'

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())

function pageAt(url: string, { head = '', headers = {}, status = 200 } = {}): Page {
  const html = `<html><head><title>T</title>${head}</head><body><p>Some words of ${url}.</p></body></html>`
  return {
    url,
    finalUrl: url,
    status,
    redirects: [],
    fetchMs: 1,
    body: new TextEncoder().encode(html),
    headers: { 'content-type': 'text/html', ...headers },
  }
}

async function urlsStoredAfter(state: State, pages: readonly Page[], last: string): Promise<string[]> {
  const scraped = createScrapedPages({
    state,
    workers,
    now: () => TEST_TIME,
    onFailure: (error) => assert.fail(String(error)),
  })
  for (const page of pages) scraped.offer(page)
  for (;;) {
    const rows = await state.db.selectFrom('page').select('url').orderBy('url').execute()
    // Pages are stored in the order in which they arrive.
    if (rows.some(({ url }) => url === last)) return rows.map(({ url }) => url)
    await wait(5)
  }
}

onSqliteState('public pages are stored, under the URL they were fetched from', async (state) => {
  const head = '<link rel="canonical" href="https://a.example/1">'
  const retained = await urlsStoredAfter(
    state,
    [
      pageAt('https://a.example/1'),
      pageAt('https://a.example/2?key=secret'),
      pageAt('https://a.example/3', { head: '<meta name=robots content=noindex>' }),
      pageAt('https://a.example/4', { headers: { 'x-robots-tag': 'none' } }),
      pageAt('https://a.example/5', { head }),
      pageAt('https://a.example/7', { status: 404 }),
      pageAt('https://a.example/last'),
    ],
    'https://a.example/last',
  )
  assert.deepEqual(
    retained.map((url) => new URL(url).pathname),
    ['/1', '/5', '/last'],
  )
})
