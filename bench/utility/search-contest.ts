import { DatabaseSync } from 'node:sqlite'
import { runEndpoint, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { search } from '@tollbook/utility/endpoints/api/search/endpoint'
import type { UtilityPorts } from '@tollbook/utility/ports'
import { openPageIndex } from '@tollbook/utility/search/pages/page-index'
import { savePage, wordsOfPage } from '@tollbook/utility/search/pages/page-store'
import { type Contest, timed } from './contest.ts'

type Place = { readonly ports: UtilityPorts; readonly texts: readonly string[]; readonly queries: number }

const MAX = 5

/**
 * Our index, with ranking, passages and the answer, next to the plain full-text index of SQLite over the same
 * texts.
 */
export async function searchContest({ ports, texts, queries }: Place): Promise<Contest<string>> {
  const plain = new DatabaseSync(':memory:')
  plain.exec('create virtual table page using fts5(content)')
  const insert = plain.prepare('insert into page (content) values (?)')
  for (const [at, content] of texts.entries()) {
    const page = {
      url: `https://example.com/${at}`,
      title: content.slice(0, 60),
      isNews: false,
      content,
      publishedAt: null,
    }
    await savePage(ports.state, { page, words: wordsOfPage(page), source: 'imported', now: TEST_TIME })
    insert.run(content)
  }
  const find = plain.prepare(
    "select snippet(page, 0, '', '', '', 40) from page where page match ? order by bm25(page) limit ?",
  )
  const own = { ...ports, search: await openPageIndex(ports) }
  return {
    figure: '/api/search, own index',
    unit: 'calls/s',
    items: takeQueries(texts, queries),
    ours: timed((query: string) => runEndpoint(search, { query, max_results: MAX }, { ports: own })),
    peer: {
      name: 'fts5 bm25 and snippet in this thread',
      side: timed((query: string) => find.all(query.split(' ').join(' OR '), MAX)),
    },
    setting: { pages: texts.length },
  }
}

/** Four words from each page. */
function takeQueries(texts: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const words = (texts[at % texts.length] ?? '').match(/\b[a-z]{4,}\b/gi) ?? ['tide']
    return words
      .slice((at * 7) % Math.max(1, words.length - 4))
      .slice(0, 4)
      .join(' ')
      .toLowerCase()
  })
}
