import { isRecord } from '@tollbook/flow/is-record'

/** A schema for node-llama-cpp, or the keyword that it does not support. */
export type GrammarSchema = { readonly schema: unknown } | { readonly unknownWord: string }

/** Keywords that a grammar can ignore: annotations, and `required`, since a grammar writes every property. */
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
/** Keywords that grammars support unchanged. */
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
 * Converts a JSON Schema to the subset from which node-llama-cpp builds a grammar. The library silently
 * ignores other keywords, so the answer would violate the schema.
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

function translate(provided: unknown): unknown {
  if (!isRecord(provided)) throw new UnknownWord(JSON.stringify(provided) ?? 'undefined')
  const { type } = provided
  // In a grammar, a list of types may only contain scalar types.
  if (Array.isArray(type) && (type.includes('object') || type.includes('array'))) {
    const { $defs, ...rest } = provided
    const oneOf = type.map((one) => translate({ ...rest, type: one }))
    return { oneOf, ...($defs !== undefined && { $defs: translateMap($defs) }) }
  }
  const entries = Object.entries(provided).flatMap(([word, value]): (readonly [string, unknown])[] => {
    if (word === DESCRIPTIONS) return [[word, value]]
    if (NOTES.includes(word)) return []
    if (word === 'type' || KEPT.includes(word)) return [[word, value]]
    // An annotation by default (JSON Schema 2020-12, format-annotation), except for the formats that a
    // grammar can enforce.
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

function translateList(provided: unknown): unknown {
  if (!Array.isArray(provided)) throw new UnknownWord(JSON.stringify(provided))
  return provided.map(translate)
}

function translateMap(provided: unknown): unknown {
  if (!isRecord(provided)) throw new UnknownWord(JSON.stringify(provided))
  return Object.fromEntries(Object.entries(provided).map(([name, value]) => [name, translate(value)]))
}
