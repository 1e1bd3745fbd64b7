import { type Icon, readIcons } from './icon-set.ts'
import { stemOf, wordsOf } from './icon-words.ts'

export type Posting = { readonly icon: number; readonly weight: number }

export type IconIndex = {
  readonly icons: readonly Icon[]
  /** Position in `icons` by name. */
  readonly byName: ReadonlyMap<string, number>
  /** Whole names, labels and terms, their words joined without spaces; the highest weight of each icon. */
  readonly phrases: ReadonlyMap<string, readonly Posting[]>
  /** The same with stems instead of words. */
  readonly stemmedPhrases: ReadonlyMap<string, readonly Posting[]>
  readonly words: ReadonlyMap<string, readonly Posting[]>
  /** Sorted, so that words with a common prefix are adjacent. */
  readonly sortedWords: readonly string[]
  readonly wordsByStem: ReadonlyMap<string, readonly string[]>
}

/** The weight of a whole phrase, and of each of its words alone. */
const FIELDS = {
  name: { phrase: 1000, word: 10 },
  alias: { phrase: 900, word: 7 },
  label: { phrase: 800, word: 9 },
  term: { phrase: 300, word: 5 },
  category: { phrase: 60, word: 1.5 },
} as const

let loaded: Promise<IconIndex> | undefined

/** Reads the icons and builds the index on first use, about 0.2 s. */
export function loadIconIndex(): Promise<IconIndex> {
  loaded ??= readIcons().then(buildIconIndex)
  return loaded
}

function buildIconIndex(icons: readonly Icon[]): IconIndex {
  const phrases = new Map<string, Map<number, number>>()
  const stemmedPhrases = new Map<string, Map<number, number>>()
  const words = new Map<string, Map<number, number>>()
  icons.forEach((icon, at) => {
    for (const [text, { phrase, word }] of phrasesOf(icon)) {
      const parts = wordsOf(text)
      if (parts.length === 0) continue
      raise(phrases, parts.join(''), at, phrase)
      raise(stemmedPhrases, parts.map(stemOf).join(''), at, phrase)
      // One word of a long name is a weaker match than all of a short one.
      for (const part of parts) raise(words, part, at, word / Math.sqrt(parts.length))
    }
  })
  return {
    icons,
    byName: new Map(icons.map(({ name }, at) => [name, at])),
    phrases: toPostings(phrases),
    stemmedPhrases: toPostings(stemmedPhrases),
    words: toPostings(words),
    sortedWords: [...words.keys()].sort(),
    wordsByStem: Map.groupBy(words.keys(), stemOf),
  }
}

function phrasesOf(icon: Icon): readonly (readonly [string, (typeof FIELDS)[keyof typeof FIELDS]])[] {
  return [
    [icon.name, FIELDS.name],
    [icon.label, FIELDS.label],
    ...icon.aliases.map((alias) => [alias, FIELDS.alias] as const),
    ...icon.terms.map((term) => [term, FIELDS.term] as const),
    ...icon.categories.map((category) => [category, FIELDS.category] as const),
  ]
}

function raise(table: Map<string, Map<number, number>>, key: string, icon: number, weight: number): void {
  const weights = table.get(key) ?? new Map<number, number>()
  weights.set(icon, Math.max(weights.get(icon) ?? 0, weight))
  table.set(key, weights)
}

function toPostings(table: ReadonlyMap<string, ReadonlyMap<number, number>>) {
  const lists = [...table].map(([key, weights]) => {
    const postings = [...weights].map(([icon, weight]): Posting => ({ icon, weight }))
    return [key, postings] as const
  })
  return new Map<string, readonly Posting[]>(lists)
}
