import type { IconIndex, Posting } from './icon-index.ts'
import { stemOf, withoutEmptyWords, wordsOf } from './icon-words.ts'
import { SYNONYMS } from './synonyms.ts'

export type RankedIcon = { readonly icon: number; readonly score: number }

/** More words than any icon description has. */
const MAX_WORDS = 12
const STEM_SHARE = 0.9
/** Applied to a query from which words like `icon` were removed. */
const CUT_SHARE = 0.95
const PREFIX_SHARE = 0.5
const TYPO_SHARE = 0.4
const MIN_PREFIX_LENGTH = 3
/** Below names and aliases, above the makers' terms; lower for each further icon. */
const SYNONYM_SCORE = 500
const SYNONYM_STEP = 40

/** Icons for a query, best match first: whole names before terms, and those before single words. */
export function rankIcons(index: IconIndex, query: string): readonly RankedIcon[] {
  const written = wordsOf(query).slice(0, MAX_WORDS)
  if (written.length === 0) return []
  const specific = withoutEmptyWords(written)
  const scores = scoreWords(index, [...new Set(specific)])
  const phrases = scorePhrases(index, specific.length < written.length ? [written, specific] : [written])
  for (const [icon, score] of phrases) scores.set(icon, (scores.get(icon) ?? 0) + score)
  return [...scores]
    .map(([icon, score]) => ({ icon, score: score + brevityOf(index, icon) }))
    .sort((one, other) => other.score - one.score || one.icon - other.icon)
}

function scorePhrases(
  index: IconIndex,
  phrases: readonly (readonly string[])[],
): ReadonlyMap<number, number> {
  const best = new Map<number, number>()
  const raise = (icon: number, score: number) => best.set(icon, Math.max(best.get(icon) ?? 0, score))
  phrases.forEach((words, at) => {
    const share = at === 0 ? 1 : CUT_SHARE
    const joined = words.join('')
    for (const { icon, weight } of index.phrases.get(joined) ?? []) raise(icon, weight * share)
    for (const { icon, weight } of index.stemmedPhrases.get(words.map(stemOf).join('')) ?? [])
      raise(icon, weight * share * STEM_SHARE)
    const synonyms = Object.hasOwn(SYNONYMS, joined) ? (SYNONYMS[joined] ?? []) : []
    synonyms.forEach((name, place) => {
      const icon = index.byName.get(name)
      if (icon !== undefined) raise(icon, SYNONYM_SCORE - place * SYNONYM_STEP)
    })
  })
  return best
}

/** Sums the weights of the words by their rarity; an icon that lacks some of them scores far lower. */
function scoreWords(index: IconIndex, words: readonly string[]): Map<number, number> {
  const sums = new Map<number, { score: number; matched: number }>()
  for (const word of words) {
    const matches = matchWord(index, word)
    const rarity = Math.log(1 + index.icons.length / Math.max(1, matches.size))
    for (const [icon, weight] of matches) {
      const { score = 0, matched = 0 } = sums.get(icon) ?? {}
      sums.set(icon, { score: score + weight * rarity, matched: matched + 1 })
    }
  }
  const scores = [...sums].map(([icon, { score, matched }]) => {
    return [icon, score * (matched / words.length) ** 2] as const
  })
  return new Map(scores)
}

/** Icons that match the word, an inflected form or a prefix; similar words are used only if none match. */
function matchWord(index: IconIndex, word: string): ReadonlyMap<number, number> {
  const best = new Map<number, number>()
  const take = (postings: readonly Posting[] | undefined, share: number) => {
    for (const { icon, weight } of postings ?? [])
      best.set(icon, Math.max(best.get(icon) ?? 0, weight * share))
  }
  take(index.words.get(word), 1)
  for (const form of index.wordsByStem.get(stemOf(word)) ?? []) take(index.words.get(form), STEM_SHARE)
  const isKnown = best.size > 0
  if (word.length >= MIN_PREFIX_LENGTH) {
    for (const candidate of wordsBeginningWith(index.sortedWords, word))
      take(index.words.get(candidate), PREFIX_SHARE * (word.length / candidate.length))
  }
  if (!isKnown) {
    const near = [...index.words].map(([candidate, postings]) => ({
      postings,
      edits: countEdits(word, candidate),
    }))
    // Of misspelled words only the nearest are meant: `calender` is calendar, not blender.
    const fewest = Math.min(...near.map(({ edits }) => edits))
    if (fewest < Number.POSITIVE_INFINITY)
      for (const { postings, edits } of near) if (edits === fewest) take(postings, TYPO_SHARE)
  }
  return best
}

/** Longer words with this prefix, from a sorted list. */
function wordsBeginningWith(sorted: readonly string[], beginning: string): readonly string[] {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? '') <= beginning) low = middle + 1
    else high = middle
  }
  let end = low
  while (sorted[end]?.startsWith(beginning)) end++
  return sorted.slice(low, end)
}

/** Breaks ties: the plain icon before its variants, and icons before brands. */
function brevityOf(index: IconIndex, at: number): number {
  const icon = index.icons[at]
  if (!icon) return 0
  const parts = icon.name.split('-').length
  return 3 / parts + (icon.styles.includes('solid') ? 1 : 0) + 5 / (5 + icon.terms.length)
}

/**
 * The edits that make one word of another that it may misspell: one from four letters on, two from eight; else
 * infinite. An edit inserts, deletes or replaces a letter, or swaps two neighbours (restricted Damerau-Levenshtein
 * distance).
 */
function countEdits(typed: string, indexed: string): number {
  const max = typed.length >= 8 ? 2 : typed.length >= 4 ? 1 : 0
  if (max === 0 || Math.abs(typed.length - indexed.length) > max) return Number.POSITIVE_INFINITY
  let [before, previous]: [number[], number[]] = [
    [],
    Array.from({ length: indexed.length + 1 }, (_, at) => at),
  ]
  for (let row = 1; row <= typed.length; row++) {
    const current = [row]
    for (let column = 1; column <= indexed.length; column++) {
      const isSame = typed[row - 1] === indexed[column - 1]
      const isSwapped = typed[row - 1] === indexed[column - 2] && typed[row - 2] === indexed[column - 1]
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 2] ?? Number.POSITIVE_INFINITY) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    if (Math.min(...current) > max) return Number.POSITIVE_INFINITY
    ;[before, previous] = [previous, current]
  }
  const edits = previous[indexed.length] ?? 0
  return edits <= max ? edits : Number.POSITIVE_INFINITY
}
