import { wordsOf } from '../words.ts'
import { toBits } from './phrases.ts'
import type { FeatureGroup } from './prepare-page.ts'

/** Features of the text of a piece. */
export const textFeatures: FeatureGroup = (view) => {
  const titleWords = new Set(wordsOf(view.title))
  const descriptionWords = new Set(wordsOf(view.description))
  const times = new Map<string, number>()
  for (const { text } of view.pieces) times.set(text, (times.get(text) ?? 0) + 1)
  return (at) => {
    const piece = view.pieces[at]
    const [text, words] = [piece?.text ?? '', view.words[at] ?? []]
    const count = Math.max(1, words.length)
    return [
      words.length,
      text.length / count,
      view.linkShares[at] ?? 0,
      piece?.links ?? 0,
      shareOf(text, /\d/g),
      shareOf(text, /\p{Lu}/gu),
      endOf(text),
      countOf(text, /[,;]/g) / count,
      countOf(text, /[.!?](?:\s|$)/g),
      overlapOf(words, titleWords),
      overlapOf(words, descriptionWords),
      times.get(text) ?? 1,
      ...toBits(view.phrases[at] ?? 0),
    ]
  }
}

/** 2 if the text ends a sentence, 1 for other closing punctuation, else 0. */
function endOf(text: string): number {
  if (/[.!?]$/.test(text)) return 2
  return /[:"”’)]$/.test(text) ? 1 : 0
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

function shareOf(text: string, pattern: RegExp): number {
  return countOf(text, pattern) / Math.max(1, text.length)
}

function overlapOf(words: readonly string[], others: ReadonlySet<string>): number {
  if (words.length === 0) return 0
  return words.filter((word) => others.has(word)).length / words.length
}
