import type { DeclaredContent } from '../head/declared-content.ts'
import { wordsOf } from '../words.ts'
import { type FeatureGroup, type PreparedPage, sumOf } from './prepare-page.ts'

/** Words in a run; shorter pieces are looked up as they are. */
const RUN = 3
/** Declared texts with fewer words are summaries. */
const MIN_WORDS = 40

/** Features of how far a piece is repeated in the content that the page declares. */
export const repeatedFeatures: FeatureGroup = (view) => {
  const texts = toRuns(view.declared.texts)
  const lines = toRuns(view.declared.lines)
  const isLong = texts.words >= MIN_WORDS
  const share = isLong ? texts.words / view.totalWords : 0
  const inLines = isInLines(view)
  const found = view.words.map((words) => (isLong ? shareIn(words, texts) : -1))
  const covered = isLong
    ? sumOf(found.map((part, at) => part * (view.counts[at] ?? 0))) / view.totalWords
    : -1
  return (at) => [
    found[at] ?? -1,
    share,
    covered,
    lines.words === 0 ? -1 : shareIn(view.words[at] ?? [], lines),
    Number(inLines[at]),
  ]
}

/** For each piece, whether it is an ingredient or a step that the page declares. */
export function isInLines({ declared, words }: Pick<PreparedPage, 'declared' | 'words'>): readonly boolean[] {
  const lines = new Set(declared.lines.map((line) => wordsOf(line).join(' ')))
  return words.map((list) => list.length > 0 && lines.has(list.join(' ')))
}

/** For each piece with enough words, the share of them in the declared ingredients and steps that it contains. */
export function shareOfLines(
  { declared, words }: Pick<PreparedPage, 'declared' | 'words'>,
  minWords: number,
): readonly number[] {
  const lines = [...new Set(declared.lines.map((line) => wordsOf(line).join(' ')))].filter(Boolean)
  return words.map((list) => {
    if (list.length < minWords) return 0
    const text = ` ${list.join(' ')} `
    return sumOf(lines.map((line) => (text.includes(` ${line} `) ? line.split(' ').length : 0))) / list.length
  })
}

type Runs = { readonly runs: ReadonlySet<string>; readonly text: string; readonly words: number }

function toRuns(texts: DeclaredContent['texts']): Runs {
  const words = texts.flatMap((text) => [...wordsOf(text), '|'])
  return { runs: new Set(runsOf(words)), text: ` ${words.join(' ')} `, words: words.length - texts.length }
}

function shareIn(words: readonly string[], { runs, text }: Runs): number {
  if (words.length === 0) return 0
  if (words.length < RUN) return Number(text.includes(` ${words.join(' ')} `))
  const own = runsOf(words)
  return own.filter((run) => runs.has(run)).length / own.length
}

function runsOf(words: readonly string[]): string[] {
  return words
    .slice(0, Math.max(0, words.length - RUN + 1))
    .map((word, at) => `${word} ${words[at + 1]} ${words[at + 2]}`)
}
