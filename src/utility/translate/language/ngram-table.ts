/** How often n-grams stand in texts of each language, as eld's detector wants it. */
export type NgramTable = {
  /** Size of the table, such as `L60`. */
  readonly type: string
  /** ISO 639-1 codes by number. */
  readonly languages: Readonly<Record<string, string>>
  /** Weights by n-gram, then by number of the language. */
  readonly ngrams: Readonly<Record<string, Readonly<Record<string, number>> | undefined>>
}

const HEAD = /ngramsData = \{type:'(\w+)',languages:\{([^}]+)\},isSubset:false,ngrams:\{/
const LANGUAGE = /(\d+):'([a-z]+)'/g
/** `'EéN':{1:20,44:0},` with the n-gram in quotes or bare. */
const ENTRY = /(?:'((?:[^'\\]|\\')*)'|([\w$\u0080-\uffff]+)):\{([\d:,]+)\}[,}]/y

/**
 * Reads the source of a module `eld/src/ngrams/*.js` without running it. The module is one object literal of some
 * hundred thousand objects: of the large one V8 makes 430 MB and seconds of work in every thread. Here a thread keeps
 * its text, and where in it each n-gram stands; weights are read when they are asked for.
 * @throws Error when the source has another form.
 */
export function parseNgramTable(source: string): NgramTable {
  const head = HEAD.exec(source)
  if (!head?.[1] || !head[2]) throw new Error('a table of n-grams begins in another way')
  const places = new Map<string, number>()
  let at = head.index + head[0].length
  while (source[at - 1] !== '}') {
    ENTRY.lastIndex = at
    const entry = ENTRY.exec(source)
    if (!entry) throw new Error(`a table of n-grams has another form at ${at}`)
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
