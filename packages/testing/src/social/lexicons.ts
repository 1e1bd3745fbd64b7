import { readFileSync } from 'node:fs'

const FILE = new URL('../../../../apps/social/src/source/bluesky/golden/lexicons.ndjson', import.meta.url)

// biome-ignore lint/suspicious/noExplicitAny: a lexicon is a tree of whatever its specification allows
export type Schema = any

export const LEXICONS: ReadonlyMap<string, Schema> = new Map(
  readFileSync(FILE, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Schema)
    .map((lexicon) => [lexicon.id, lexicon.defs]),
)

/**
 * Strings with a format, as far as https://atproto.com/specs/lexicon#string-formats can be checked by a
 * regex.
 */
export const FORMATS: Readonly<Record<string, RegExp>> = {
  did: /^did:[a-z]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-]$/,
  handle: /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i,
  'at-uri': /^at:\/\/[A-Za-z0-9.:%-]+(\/[A-Za-z0-9.-]+(\/[A-Za-z0-9._:~-]+)?)?$/,
  'at-identifier': /^(did:[a-z]+:.+|[^:@\s]+\.[^:@\s]+)$/,
  cid: /^b[a-z2-7]{58}$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  uri: /^[a-z][a-z0-9.+-]*:\S+$/,
  language: /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/,
}

/** Violations of the query's lexicon by an answer; empty if there are none. */
export function findAnswerIssues(method: string, answer: unknown): string[] {
  const { schema } = LEXICONS.get(method)?.main.output ?? {}
  return schema ? check(answer, schema, method, 'answer') : [`${method} is not a query`]
}

/** Violations of the query's lexicon by its parameters. */
export function findParameterIssues(method: string, query: URLSearchParams): string[] {
  const parameters = LEXICONS.get(method)?.main.parameters
  if (!parameters) return [`${method} is not a query`]
  const known: Schema = parameters.properties
  const unknown = [...query.keys()].filter((name) => !(name in known))
  const absent = (parameters.required ?? []).filter((name: string) => !query.has(name))
  const wrong = Object.entries<Schema>(known).flatMap(([name, schema]) => {
    const provided = query.getAll(name)
    if (provided.length === 0) return []
    if (schema.type === 'array') return check(provided, schema, method, name)
    const [value = ''] = provided
    const typed = { integer: Number(value), boolean: value === 'true' }[schema.type as string] ?? value
    return provided.length > 1 ? [`${name} is repeated`] : check(typed, schema, method, name)
  })
  return [...unknown.map((name) => `${name} is unknown`), ...absent, ...wrong]
}

function check(value: unknown, schema: Schema, base: string, path: string): string[] {
  const issue = (text: string) => [`${path}: ${text}`]
  switch (schema.type) {
    case 'ref':
      return checkNamed(value, schema.ref, base, path)
    case 'union': {
      const type = String((value as Schema)?.$type)
      const known = schema.refs.some((ref: string) => nameOf(ref, base) === type)
      // A union that is not closed may contain types that its lexicon does not list (specification, "union").
      return known ? checkNamed(value, type, base, path) : type.includes('.') ? [] : issue('has no $type')
    }
    case 'object':
    case 'record': {
      const { required = [], properties = {} } = schema.record ?? schema
      if (typeof value !== 'object' || value === null) return issue('is not an object')
      const provided = value as Schema
      return [
        ...required
          .filter((name: string) => !(name in provided))
          .flatMap((name: string) => issue(`lacks ${name}`)),
        ...Object.entries<Schema>(properties).flatMap(([name, inner]) =>
          name in provided ? check(provided[name], inner, base, `${path}.${name}`) : [],
        ),
      ]
    }
    case 'array': {
      if (!Array.isArray(value)) return issue('is not an array')
      if (value.length > (schema.maxLength ?? Number.POSITIVE_INFINITY)) return issue('is too long')
      return value.flatMap((item, at) => check(item, schema.items, base, `${path}[${at}]`))
    }
    case 'string':
      if (typeof value !== 'string') return issue('is not a string')
      return FORMATS[schema.format]?.test(value) === false ? issue(`${value} is not a ${schema.format}`) : []
    case 'integer': {
      const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema
      return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum
        ? []
        : issue(`${value} is not an allowed integer`)
    }
    case 'boolean':
      return typeof value === 'boolean' ? [] : issue('is not a boolean')
    default:
      return []
  }
}

function checkNamed(value: unknown, ref: string, base: string, path: string): string[] {
  const name = nameOf(ref, base)
  const [lexicon = '', definition = 'main'] = name.split('#')
  const schema = LEXICONS.get(lexicon)?.[definition]
  if (!schema) return [`${path}: no lexicon ${name}`]
  return check(value, schema, lexicon, path)
}

function nameOf(ref: string, base: string): string {
  return ref.startsWith('#') ? `${base}${ref}` : ref
}
