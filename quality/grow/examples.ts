import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { toReadableTree } from '@tollbook/extract/extract-page'
import { guessPageType } from '@tollbook/extract/page-type'
import { analysePage } from '@tollbook/extract/pieces/analyse-page'
import { extractFeatures } from '@tollbook/extract/pieces/extract-features'
import { findGroups } from '@tollbook/extract/pieces/find-groups'
import { type PreparedPage, preparePage, sumOf } from '@tollbook/extract/pieces/prepare-page'
import { readPageHead } from '@tollbook/extract/read-head'
import { openPage } from '@tollbook/utility/page/open-page'
import { showProgress } from '../suite.ts'
import { labelPieces, toWords } from './label-pieces.ts'

/** A page whose content is known, cut into pieces. */
export type Example = {
  readonly features: readonly Float32Array[]
  /** Per piece, how far it is content, 0 to 1. */
  readonly labels: readonly number[]
  /** Weight of each piece. */
  readonly weights: readonly number[]
}

/** Reads only the development split of WCXB. */
export async function readExamples(folder: string): Promise<Example[]> {
  const root = join(folder, 'web-content-extraction-benchmark', 'dev')
  const files = (await readdir(join(root, 'ground-truth'))).sort()
  const examples: Example[] = []
  for (const [at, file] of files.entries()) {
    const truth = JSON.parse(await readFile(join(root, 'ground-truth', file), 'utf8'))
    const body = gunzipSync(await readFile(join(root, 'html', file.replace('.json', '.html.gz'))))
    const source = { url: truth.url || 'https://example.com/', contentType: 'text/html', body }
    const content: string = truth.ground_truth.main_content ?? ''
    const opened = openPage(source, ({ html }) => toExample(html, source.url, content))
    if ('result' in opened) examples.push(opened.result)
    showProgress('pages', at + 1, files.length)
  }
  return examples
}

/** Long pieces weigh more, but less than in proportion to their words. All pages weigh the same. */
const WEIGHT_POWER = 0.6
/** Minimum word count assumed for a page. */
const MIN_WORDS = 50
/** Weight of words around the content relative to the content's own words. */
const AROUND = 0.3
/** Pieces without words have little weight, so that markup alone decides nothing. */
const MIN_WEIGHT = 0.02

function toExample(html: string, url: string, content: string): Example {
  const { head, declared } = readPageHead(html, url)
  const tree = toReadableTree(html)
  const pageType = guessPageType(tree, { types: head.types, path: new URL(url).pathname })
  const view = preparePage(analysePage(tree, { url, head, declared, pageType }))
  const size = toWords(content).length + AROUND * view.totalWords + MIN_WORDS
  const labels = labelPieces(
    view.pieces.map(({ text }) => text),
    content,
  )
  return {
    features: extractFeatures(view),
    labels: joinLabels(labels, view),
    weights: view.counts.map((count) => Math.max(MIN_WEIGHT, 100 * (count / size) ** WEIGHT_POWER)),
  }
}

/** All pieces of a list or data table get the mean of their labels: people keep or drop it as a whole. */
function joinLabels(labels: readonly number[], { pieces, counts }: PreparedPage): readonly number[] {
  const joined = [...labels]
  for (const { members } of findGroups(pieces, counts)) {
    const weightOf = (at: number) => (counts[at] ?? 0) + 1
    const mean = sumOf(members.map((at) => (labels[at] ?? 0) * weightOf(at))) / sumOf(members.map(weightOf))
    for (const at of members) joined[at] = mean
  }
  return joined
}
