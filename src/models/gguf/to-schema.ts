/** A JSON Schema in the words that grammars are made of, or what of it no grammar holds. */
export type GrammarSchema = { readonly schema: unknown } | { readonly unknownWord: string }

type Node = Readonly<Record<string, unknown>>

/** Say nothing of what is valid: annotations, and `required`, since a grammar writes every property. */
const NOTES = [
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
  '$schema',
  '$id',
  'required',
  'strict',
]
/** Taken by the grammar as they are. */
const KEPT = [
  'const',
  'enum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
]
const FORMATS = ['date-time', 'time', 'date']
const BELOW_ONE = ['items']
const BELOW_LIST = ['prefixItems', 'oneOf']
const BELOW_MAP = ['properties', '$defs']
const DESCRIPTIONS = 'description'

/**
 * Puts a JSON Schema into the words that node-llama-cpp makes a grammar of. It would pass over every other word in
 * silence, and the answer would not hold what was asked for.
 */
export function toGrammarSchema(schema: unknown): GrammarSchema {
  try {
    return { schema: translate(schema) }
  } catch (error) {
    if (error instanceof UnknownWord) return { unknownWord: error.message }
    throw error
  }
}

class UnknownWord extends Error {}

function translate(given: unknown): unknown {
  if (!isNode(given)) throw new UnknownWord(JSON.stringify(given) ?? 'undefined')
  const { type } = given
  // A grammar's own list of types knows only plain values.
  if (Array.isArray(type) && (type.includes('object') || type.includes('array'))) {
    const { $defs, ...rest } = given
    const oneOf = type.map((one) => translate({ ...rest, type: one }))
    return { oneOf, ...($defs !== undefined && { $defs: translateMap($defs) }) }
  }
  const entries = Object.entries(given).flatMap(([word, value]): (readonly [string, unknown])[] => {
    if (word === DESCRIPTIONS) return [[word, value]]
    if (NOTES.includes(word)) return []
    if (word === 'type' || KEPT.includes(word)) return [[word, value]]
    // An annotation by default (JSON Schema 2020-12, format-annotation), but for those that a grammar can hold.
    if (word === 'format') return FORMATS.includes(String(value)) ? [[word, value]] : []
    if (word === 'additionalProperties')
      return [[word, typeof value === 'boolean' ? value : translate(value)]]
    if (word === 'anyOf') return [['oneOf', translateList(value)]]
    if (BELOW_ONE.includes(word)) return [[word, translate(value)]]
    if (BELOW_LIST.includes(word)) return [[word, translateList(value)]]
    if (BELOW_MAP.includes(word)) return [[word, translateMap(value)]]
    if (word === '$ref' && typeof value === 'string' && value.startsWith('#/$defs/')) return [[word, value]]
    throw new UnknownWord(word)
  })
  return Object.fromEntries(entries)
}

function translateList(given: unknown): unknown {
  if (!Array.isArray(given)) throw new UnknownWord(JSON.stringify(given))
  return given.map(translate)
}

function translateMap(given: unknown): unknown {
  if (!isNode(given)) throw new UnknownWord(JSON.stringify(given))
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, translate(value)]))
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
