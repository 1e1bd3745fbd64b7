import { readFile } from 'node:fs/promises'
import type { eld } from 'eld/large'

export type DetectedLanguages = {
  /** ISO 639-1 codes with their scores, 0 to 1, best first. */
  readonly scores: readonly (readonly [code: string, score: number])[]
  /** Whether the text is long and clear enough for the best one. */
  readonly isReliable: boolean
}

/** The parts of which eld's own entries consist. */
type Detectors = { createEld(): { readonly instance: Detector; loadData(table: NgramTable): void } }

type Detector = Pick<typeof eld, 'detect'>

/** Frequencies of n-grams by language, as eld's detector expects them. */
type NgramTable = {
  /** Size of the table, such as `L60`. */
  readonly type: string
  /** ISO 639-1 codes by number. */
  readonly languages: Readonly<Record<string, string>>
  /** Weights by n-gram, then by number of the language. */
  readonly ngrams: Readonly<Record<string, Readonly<Record<string, number>> | undefined>>
}

const HEAD = /ngramsData = \{type:'(\w+)',languages:\{([^}]+)\},isSubset:false,ngrams:\{/
const LANGUAGE = /(\d+):'([a-z]+)'/g
/** `'EéN':{1:20,44:0},` with the n-gram quoted or bare. */
const ENTRY = /(?:'((?:[^'\\]|\\')*)'|([\w$\u0080-\uffff]+)):\{([\d:,]+)\}[,}]/y

let loaded: ReturnType<typeof loadDetector> | undefined

/** The job that detects the language of prose, one of sixty; a worker loads the detector once. */
export async function detectLanguage({ text }: { readonly text: string }): Promise<DetectedLanguages> {
  loaded ??= loadDetector('large')
  const result = (await loaded).detect(text)
  const scores = Object.entries(result.getScores()).toSorted(([, one], [, other]) => other - one)
  return { scores, isReliable: result.isReliable() }
}

/** Creates eld's detector over its table of that size, with a tenth of the memory of the entry itself. */
export async function loadDetector(size: 'large' | 'extrasmall'): Promise<Detector> {
  const entry = import.meta.resolve(`eld/${size}`)
  const source = await readFile(new URL(`../ngrams/${size}.js`, entry), 'utf8')
  // eld 2.1.0 exports only entries that load a table; this repeats what each of them does.
  const { createEld } = (await import(new URL('../languageDetector.js', entry).href)) as Detectors
  const { instance, loadData } = createEld()
  loadData(parseNgramTable(source))
  return instance
}

/**
 * Parses the source of a module `eld/src/ngrams/*.js` without running it. The module is one object literal of
 * some hundred thousand objects: for the large one V8 needs 430 MB and seconds of work in every worker. Here
 * a worker stores its text and the position of each n-gram; weights are parsed on lookup.
 * @throws Error if the source has another format.
 */
export function parseNgramTable(source: string): NgramTable {
  const head = HEAD.exec(source)
  if (!head?.[1] || !head[2]) throw new Error('unexpected start of the n-gram table')
  const places = new Map<string, number>()
  let at = head.index + head[0].length
  while (source[at - 1] !== '}') {
    ENTRY.lastIndex = at
    const entry = ENTRY.exec(source)
    if (!entry) throw new Error(`unexpected format of the n-gram table at ${at}`)
    at = ENTRY.lastIndex
    const [, quoted, bare = '', weights = ''] = entry
    places.set(quoted?.replaceAll("\\'", "'") ?? bare, at - '},'.length - weights.length)
  }
  const ngrams = new Proxy<NgramTable['ngrams']>(
    {},
    { get: (_, ngram) => readWeights(source, typeof ngram === 'string' ? places.get(ngram) : undefined) },
  )
  const languages = Object.fromEntries([...head[2].matchAll(LANGUAGE)].map(([, at, code]) => [at, code]))
  return { type: head[1], languages, ngrams }
}

function readWeights(source: string, at: number | undefined): Record<string, number> | undefined {
  if (at === undefined) return undefined
  const pairs = source.slice(at, source.indexOf('}', at)).split(',')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [language = '', weight] = pair.split(':')
      return [language, Number(weight)]
    }),
  )
}
