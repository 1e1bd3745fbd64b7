import { UnusableDocument } from '../published/failure.ts'
import type { CheckedValue } from './check.ts'

/** A report has about 60 fields and three more for each listing, of which some have thousands. */
const MAX_FIELDS = 200_000
/** The specification nests three levels deep. */
const MAX_DEPTH = 6

/**
 * Every value of a JSON document by its path, such as `daily.2026-11-14.usd` where dates are unique; empty
 * objects and arrays are values. @throws UnusableDocument above 200,000 values or six levels.
 */
export function listFields(document: unknown): ReadonlyMap<string, CheckedValue> {
  const fields = new Map<string, CheckedValue>()
  const add = (path: readonly string[], value: unknown) => {
    if (value === null || typeof value !== 'object') {
      // JSON has no other values.
      fields.set(path.join('.'), value as CheckedValue)
      if (fields.size > MAX_FIELDS)
        throw new UnusableDocument(`the report has more than ${MAX_FIELDS} values`)
      return
    }
    if (path.length >= MAX_DEPTH)
      throw new UnusableDocument(`the report is nested deeper than ${MAX_DEPTH} levels`)
    const entries = Array.isArray(value) ? nameEntries(path, value) : Object.entries(value).map(toEntry)
    if (entries.length === 0) fields.set(path.join('.'), Array.isArray(value) ? '[]' : '{}')
    for (const [name, each] of entries) add([...path, name], each)
  }
  add([], document)
  return fields
}

function nameEntries(
  path: readonly string[],
  list: readonly unknown[],
): readonly (readonly [string, unknown])[] {
  const dates = path.length === 1 && path[0] === 'daily' ? list.map(dateOf) : []
  const areNames = dates.length > 0 && new Set(dates).size === list.length && !dates.includes(undefined)
  return list.map((each, at) => [(areNames ? dates[at] : undefined) ?? String(at), each])
}

function dateOf(record: unknown): string | undefined {
  if (record === null || typeof record !== 'object' || !('date' in record)) return undefined
  return typeof record.date === 'string' && /^\d{4}-\d\d-\d\d$/.test(record.date) ? record.date : undefined
}

/** A name such as `window.end` must not be confused with the field `end` of `window`. */
function toEntry([name, value]: readonly [string, unknown]): readonly [string, unknown] {
  return [/^[^."]+$/.test(name) ? name : JSON.stringify(name), value]
}

/** The names of all objects of a document in their order, which `listFields` does not return. */
export function listKeys(document: unknown): string {
  if (document === null || typeof document !== 'object') return ''
  if (Array.isArray(document)) return document.map(listKeys).join(',')
  return Object.entries(document)
    .map(([name, value]) => `${JSON.stringify(name)}(${listKeys(value)})`)
    .join(',')
}
