import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type ExtractedText, extractText } from './extract-text.ts'
import { printTimes } from './print-times.ts'
import { meanOf, printFigure, type Suite, showProgress } from './suite.ts'

/** From the suite's README. */
const PUBLISHED = { go_trafilatura: 0.96, 'Readability.js': 0.947, go_readability: 0.934, goose3: 0.896 }
const SHINGLE = 4

/** Bodies of news articles, scored by four-word shingles as in the suite's `evaluate.py`. */
export const articleExtraction: Suite = {
  name: 'article-extraction',
  summary: 'bodies of 181 articles, by F1 of four-word shingles',
  async run({ folder, every }) {
    const root = join(folder, 'article-extraction-benchmark')
    const truth: Record<string, { articleBody?: string; url?: string }> = JSON.parse(
      await readFile(join(root, 'ground-truth.json'), 'utf8'),
    )
    const ids = Object.keys(truth).filter((_, at) => at % every === 0)
    const scores: Score[] = []
    const bodies: Score[] = []
    const pages: ExtractedText[] = []
    for (const [at, id] of ids.entries()) {
      const body = gunzipSync(await readFile(join(root, 'html', `${id}.html.gz`)))
      const page = extractText(body, truth[id]?.url ?? 'https://example.com/')
      const wanted = toShingles(truth[id]?.articleBody ?? '')
      scores.push(compare(wanted, toShingles(page.text)))
      // The suite's bodies have no headlines, which a page's answer has as its first heading.
      bodies.push(compare(wanted, toShingles(page.body)))
      pages.push(page)
      showProgress('article-extraction', at + 1, ids.length)
    }
    const suite = 'article-extraction'
    const { precision, recall, f1 } = averageOf(scores)
    printFigure({ suite, figure: 'shingle F1', value: f1, of: ids.length, published: PUBLISHED })
    printFigure({
      suite,
      figure: 'shingle F1 without the headline',
      value: averageOf(bodies).f1,
      of: ids.length,
    })
    printFigure({ suite, figure: 'precision', value: precision, of: ids.length })
    printFigure({ suite, figure: 'recall', value: recall, of: ids.length })
    printTimes(suite, pages)
  },
}

type Shingles = ReadonlyMap<string, number>
type Score = { readonly hit: number; readonly found: number; readonly wanted: number }

function toShingles(text: string): Shingles {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? []
  const shingles = new Map<string, number>()
  if (words.length === 0) return shingles
  for (let at = 0; at < Math.max(1, words.length - SHINGLE + 1); at += 1) {
    const shingle = words.slice(at, at + SHINGLE).join(' ')
    shingles.set(shingle, (shingles.get(shingle) ?? 0) + 1)
  }
  return shingles
}

function compare(wanted: Shingles, found: Shingles): Score {
  let hit = 0
  for (const [shingle, count] of wanted) hit += Math.min(count, found.get(shingle) ?? 0)
  return { hit, found: sumOf(found), wanted: sumOf(wanted) }
}

function averageOf(scores: readonly Score[]) {
  const precision = meanOf(scores.filter(({ found }) => found > 0).map(({ hit, found }) => hit / found))
  const recall = meanOf(scores.filter(({ wanted }) => wanted > 0).map(({ hit, wanted }) => hit / wanted))
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall) }
}

function sumOf(shingles: Shingles): number {
  return shingles.values().reduce((sum, count) => sum + count, 0)
}
