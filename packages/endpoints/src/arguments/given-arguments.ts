import { isRecord } from '@tollbook/flow/is-record'
import { isRawNumber } from '@tollbook/flow/json/exact-json'
import type { Issue } from '@tollbook/http/problem'
import type { UploadedFile } from '@tollbook/http/request/uploaded-file'
import type { InputField, InputFields } from './input-fields.ts'
import { nearestName } from './nearest-name.ts'

/** Max names in a query, a form or a JSON object. Chosen: far above any endpoint's number of parameters. */
export const MAX_ARGUMENTS = 500
/** As people and JSON write it; `Number` also accepts '', ' 5 ', '0x10' and 'Infinity'. */
const DECIMAL = /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/

/** Without a prototype chain, so that `__proto__` is a name; V8 optimizes its shape. */
const GivenValues = function GivenValues() {} as unknown as new () => Record<string, unknown>
GivenValues.prototype = Object.create(null)

/** The arguments of one request, collected from path, query and body before schema validation. */
export class GivenArguments {
  readonly values = new GivenValues()
  /** Names beyond the declared ones that the endpoint accepts. */
  readonly furtherNames: string[] = []
  readonly files = new Map<string, UploadedFile>()
  readonly issues: Issue[] = []
  readonly #fields: InputFields

  constructor(fields: InputFields) {
    this.#fields = fields
  }

  addPath(parameters: Readonly<Record<string, string>>): void {
    for (const name in parameters) this.#addTexts(name, [parameters[name] ?? ''])
  }

  /** Adds query or form texts; a repeated name is a list if the field accepts one, otherwise an issue. */
  addTexts(pairs: Iterable<readonly [string, string]>): void {
    const textsByName = new Map<string, string[]>()
    let count = 0
    for (const [name, text] of pairs) {
      count++
      if (count > MAX_ARGUMENTS) {
        this.issues.push({ parameter: name, detail: `exceeds the limit of ${MAX_ARGUMENTS} parameters` })
        return
      }
      const texts = textsByName.get(name)
      if (texts) texts.push(text)
      else textsByName.set(name, [text])
    }
    for (const [name, texts] of textsByName) this.#addTexts(name, texts)
  }

  /** Adds a JSON body; in a read, as in a query, a string field also accepts a number or boolean. */
  addJson(body: unknown, isRead: boolean): void {
    if (this.#fields.hasWholeBody) {
      this.values.body = body
      return
    }
    if (!isRecord(body)) {
      this.issues.push({ parameter: 'body', detail: 'must be a JSON object' })
      return
    }
    const names = Object.keys(body)
    if (names.length > MAX_ARGUMENTS) {
      this.issues.push({ parameter: 'body', detail: `has more than ${MAX_ARGUMENTS} members` })
      return
    }
    for (const [name, value] of Object.entries(body))
      this.#add(name, (field) => fitJson(value, field, isRead), value)
  }

  addFile(name: string, file: UploadedFile, value: File): void {
    this.#add(name, (field) => (field.isFile ? { value } : { issue: 'must not be a file' }), value)
    this.files.set(name, file)
  }

  #addTexts(name: string, texts: readonly string[]): void {
    const further = texts.length === 1 ? texts[0] : texts
    this.#add(name, (field) => fitTexts(texts, field), further)
  }

  #add(name: string, fit: (field: InputField) => Fitting, further: unknown): void {
    const field = this.#fields.byName.get(name)
    if (name in this.values) {
      this.issues.push({ parameter: name, detail: 'is specified more than once' })
    } else if (field) {
      const fitting = fit(field)
      if ('issue' in fitting) this.issues.push({ parameter: name, detail: fitting.issue })
      // A value that does not fit still counts as present, so that it is not also reported as missing.
      this.values[name] = 'issue' in fitting ? null : fitting.value
    } else if (this.#fields.takesMore(name)) {
      this.values[name] = further
      this.furtherNames.push(name)
    } else this.issues.push(this.#unknown(name))
  }

  #unknown(name: string): Issue {
    const nearest = nearestName(name, this.#fields.byName.keys())
    const detail = nearest ? `is not a known parameter; did you mean ${nearest}?` : 'is not a known parameter'
    return { parameter: name.slice(0, 100), detail, code: 'unknown_parameter' }
  }
}

type Fitting = { readonly value: unknown } | { readonly issue: string }

function fitTexts(texts: readonly string[], field: InputField): Fitting {
  const [text] = texts
  if (field.isFile) return { issue: 'must be a file' }
  if (texts.length === 1 && text !== undefined && !isListOnly(field)) return fitText(text, field.types)
  if (field.types.size > 0 && !field.types.has('array')) return { issue: 'is specified more than once' }
  const fittings = texts.map((item) => fitText(item, field.itemTypes))
  const issue = fittings.find((fitting) => 'issue' in fitting)
  return issue ?? { value: fittings.map((fitting) => ('value' in fitting ? fitting.value : null)) }
}

function isListOnly(field: InputField): boolean {
  return field.types.has('array') && !field.types.has('string')
}

function fitText(text: string, types: InputField['types']): Fitting {
  if (types.size === 0 || types.has('string')) return { value: text }
  if (types.has('number') && DECIMAL.test(text)) return { value: Number(text) }
  if (types.has('boolean') && (text === 'true' || text === 'false')) return { value: text === 'true' }
  return { issue: `must be ${sayTypes(types)}` }
}

function fitJson(value: unknown, field: InputField, isRead: boolean): Fitting {
  const { types } = field
  if (field.isFile) return { issue: 'must be a file of a multipart body' }
  if (types.size === 0) return { value }
  if (isRawNumber(value)) return fitJson(Number(value.rawJSON), field, isRead)
  if (types.has(jsonTypeOf(value))) return { value }
  if (typeof value === 'string') return fitText(value, types)
  if (isRead && types.has('string') && (typeof value === 'number' || typeof value === 'boolean'))
    return { value: String(value) }
  return { issue: `must be ${sayTypes(types)}` }
}

function jsonTypeOf(value: unknown): 'string' | 'number' | 'boolean' | 'object' | 'array' | 'null' {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value as 'string' | 'number' | 'boolean' | 'object'
}

const TYPE_WORDS = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
} as const

function sayTypes(types: InputField['types']): string {
  return [...types].map((type) => TYPE_WORDS[type]).join(' or ')
}
