import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type ExtractedText, extractText } from './extract-text.ts'
import { printTimes } from './print-times.ts'
import { rougeOf } from './rouge.ts'
import { meanOf, printFigure, type Suite, showProgress } from './suite.ts'

type Split = 'dev' | 'test'

/** From the suite's README and its tables by page type. */
const PUBLISHED = {
  dev: { 'rs-trafilatura': 0.859, 'MinerU-HTML': 0.827, Trafilatura: 0.791, Readability: 0.675 },
  test: { 'rs-trafilatura': 0.893, Trafilatura: 0.833, 'dom-smoothie': 0.808, Readability: 0.726 },
} as const
const PUBLISHED_BY_TYPE: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  article: { 'rs-trafilatura': 0.932, Trafilatura: 0.926 },
  documentation: { 'rs-trafilatura': 0.932, Trafilatura: 0.888 },
  service: { 'rs-trafilatura': 0.844, Trafilatura: 0.763 },
  forum: { 'rs-trafilatura': 0.808, Trafilatura: 0.585 },
  collection: { 'rs-trafilatura': 0.716, Trafilatura: 0.553 },
  // biome-ignore lint/suspicious/noApproximativeNumericConstant: a score that happens to lie near a root
  listing: { 'rs-trafilatura': 0.707, Trafilatura: 0.589 },
  product: { 'rs-trafilatura': 0.641, Trafilatura: 0.567 },
}

/** The main content of pages of seven types, scored by words as in the suite's `evaluate.py`. */
export const wcxb: Suite = {
  name: 'wcxb',
  summary: 'main content of 1,497 pages of seven types, by word F1; the model was trained on them',
  run: ({ folder, every }) => measure(folder, 'dev', every),
}

/** The pages that influenced no choice. */
export const wcxbTest: Suite = {
  name: 'wcxb-test',
  summary: 'main content of 511 further pages',
  isHeldOut: true,
  run: ({ folder, every }) => measure(folder, 'test', every),
}

type Scored = ExtractedText & { readonly f1: number; readonly type: string }

async function measure(folder: string, split: Split, every: number): Promise<void> {
  const root = join(folder, 'web-content-extraction-benchmark')
  const files = (await readdir(join(root, split, 'ground-truth'))).sort().filter((_, at) => at % every === 0)
  const pages: Scored[] = []
  for (const [at, file] of files.entries()) {
    pages.push(await score(root, split, file.replace('.json', '')))
    showProgress(`wcxb ${split}`, at + 1, files.length)
  }
  const f1 = meanOf(pages.map((page) => page.f1))
  const published = every === 1 ? { published: PUBLISHED[split] } : {}
  print(split, 'word F1', f1, pages.length, published)
  for (const [type, group] of Map.groupBy(pages, (page) => page.type)) {
    const beside = PUBLISHED_BY_TYPE[type]
    const value = meanOf(group.map((page) => page.f1))
    const isComparable = split === 'dev' && every === 1 && beside !== undefined
    print(split, `word F1, ${type}`, value, group.length, isComparable ? { published: beside } : {})
  }
  for (const [extractor, group] of Map.groupBy(pages, (page) => page.extractor))
    print(split, `word F1 where ${extractor} was taken`, meanOf(group.map((page) => page.f1)), group.length)
  const isRight = (page: Scored) => Number(page.pageType === page.type)
  print(split, 'share of page types guessed right', meanOf(pages.map(isRight)), pages.length)
  printTimes(`wcxb ${split}`, pages)
}

function print(split: Split, figure: string, value: number, of: number, more = {}): void {
  printFigure({ suite: `wcxb ${split}`, figure, value, of, ...more })
}

async function score(root: string, split: Split, id: string): Promise<Scored> {
  const truth = JSON.parse(await readFile(join(root, split, 'ground-truth', `${id}.json`), 'utf8'))
  const body = gunzipSync(await readFile(join(root, split, 'html', `${id}.html.gz`)))
  const extracted = extractText(body, truth.url || 'https://example.com/')
  const wanted = toPythonWords(truth.ground_truth.main_content ?? '')
  const named: string = truth._internal?.page_type?.primary ?? 'article'
  const type = named === 'category' ? 'collection' : named
  return { ...extracted, type, f1: similarityOf(toPythonWords(extracted.text), wanted) }
}

/** The words that both texts contain, as F1; 1 for two empty texts. */
function similarityOf(words: readonly string[], wanted: readonly string[]): number {
  return words.length + wanted.length === 0 ? 1 : rougeOf(words, wanted, 1)
}

/** Words as matched by Python's `\w+`, which does not treat combining marks as letters. */
function toPythonWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
}
