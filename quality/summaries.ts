import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { readBlocks } from '@tollbook/extract/document/read-blocks'
import { proseOf } from '@tollbook/extract/document/write-text'
import { extractPage } from '@tollbook/extract/extract-page'
import { readHead } from '@tollbook/extract/read-head'
import { splitSentences } from '@tollbook/extract/summary/split-sentences'
import { summarize } from '@tollbook/extract/summary/summarize'
import { openPage } from '@tollbook/utility/page/open-page'
import { type Article, findBestSentence, isCopied, pickRandom, rougeOf, toWords } from './rouge.ts'
import { meanOf, percentileOf, printFigure, type Suite, showProgress } from './suite.ts'

type Split = 'dev' | 'test'

/** Sentences in every summary, since the baseline is the first two. */
const SENTENCES = 2
/** Shorter descriptions are slogans, and shorter articles have nothing to choose from. */
const MIN_WORDS = 10
const MIN_SENTENCES = 5

/** Summaries of articles next to the descriptions that people wrote for them and that search engines show. */
export const summaries: Suite = {
  name: 'summaries',
  summary: 'summaries of articles against their descriptions, by ROUGE, next to the first two sentences',
  async run({ folder, every, isHeldOutWanted }) {
    const root = join(folder, 'web-content-extraction-benchmark')
    await measure(root, 'dev', every)
    if (isHeldOutWanted) await measure(root, 'test', every)
  },
}

async function measure(root: string, split: Split, every: number): Promise<void> {
  const files = (await readdir(join(root, split, 'ground-truth'))).sort().filter((_, at) => at % every === 0)
  const articles: Article[] = []
  for (const [at, file] of files.entries()) {
    const article = await readArticle(root, split, file.replace('.json', ''))
    if (article) articles.push(article)
    showProgress(`summaries ${split}`, at + 1, files.length)
  }
  const ms: number[] = []
  const ways: Readonly<Record<string, (article: Article) => string>> = {
    'these summaries': ({ paragraphs, title, lang }) => {
      const started = performance.now()
      const { chosen } = summarize(paragraphs, { title, lang, sentences: SENTENCES })
      ms.push(performance.now() - started)
      return chosen.map(({ text }) => text).join(' ')
    },
    'the first two sentences': ({ sentences }) => sentences.slice(0, SENTENCES).join(' '),
    'two sentences at random': ({ sentences }) => pickRandom(sentences, SENTENCES).join(' '),
    'the best single sentence': ({ sentences, description }) => findBestSentence(sentences, description),
  }
  for (const [way, write] of Object.entries(ways)) {
    const scores = articles.map((article) => {
      const words = toWords(write(article))
      const wanted = toWords(article.description)
      return [1, 2].map((size) => rougeOf(words, wanted, size))
    })
    for (const size of [1, 2]) {
      const value = meanOf(scores.map((score) => score[size - 1] ?? 0))
      printFigure({
        suite: `summaries ${split}`,
        figure: `ROUGE-${size}, ${way}`,
        value,
        of: articles.length,
      })
    }
  }
  const p95 = percentileOf(ms, 0.95)
  printFigure({ suite: `summaries ${split}`, figure: 'ms a summary, p95', value: p95, of: ms.length })
}

/**
 * An article as the service reads it; null for other pages, and for articles whose description adds nothing.
 */
async function readArticle(root: string, split: Split, id: string): Promise<Article | null> {
  const truth = JSON.parse(await readFile(join(root, split, 'ground-truth', `${id}.json`), 'utf8'))
  if (truth._internal?.page_type?.primary !== 'article') return null
  const body = gunzipSync(await readFile(join(root, split, 'html', `${id}.html.gz`)))
  const url: string = truth.url || 'https://example.com/'
  const opened = openPage({ url, contentType: 'text/html', body }, ({ html }): Article | null => {
    const { title, lang, description, baseUrl } = readHead(html, url)
    if (description === null || toWords(description).length < MIN_WORDS) return null
    if (isCopied(description, String(truth.ground_truth.main_content ?? ''))) return null
    const { tree } = extractPage(html, url, { isMainOnly: true, includeImages: false })
    const blocks = readBlocks(tree, { baseUrl, includeLinks: false, includeImages: false })
    const paragraphs = proseOf(blocks)
    const sentences = paragraphs.flatMap((paragraph) => splitSentences(paragraph, lang))
    return sentences.length < MIN_SENTENCES ? null : { paragraphs, sentences, title, lang, description }
  })
  return 'result' in opened ? opened.result : null
}
