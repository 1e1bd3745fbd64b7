import { parseIfJson } from '../json/parse-json.ts'
import { JSON_NUMBER, NumberText, type Value } from '../value.ts'

/**
 * Infers the value of a CSV or TSV cell. Unquoted: an empty cell is null, as in PostgreSQL's CSV; `true`,
 * `false` and JSON numbers become booleans and numbers; `007` and `+1` stay strings. A cell that holds a JSON
 * list, object or string becomes that value, quoted or not. Everything else is a string.
 */
export function inferCell(text: string, isQuoted: boolean, depth: number): Value {
  if (!isQuoted) {
    if (text === '') return null
    if (text === 'true') return true
    if (text === 'false') return false
    if (JSON_NUMBER.test(text)) return new NumberText(text)
  }
  return parseStructure(text, depth) ?? text
}

/** Whether a string would be parsed as a JSON value even if quoted, so that it must be encoded. */
export function isAmbiguous(text: string, depth: number): boolean {
  return parseStructure(text, depth) !== null
}

/** Whether a string must be quoted, because it would otherwise be read as another type. */
export function needsQuotes(text: string): boolean {
  return text === '' || text === 'true' || text === 'false' || JSON_NUMBER.test(text)
}

/** How a JSON list, object or string starts; rules out most other texts cheaply. */
const STRUCTURE_START = /^(?:\[\s*[\][{"\-\dtfn]|\{\s*["}]|")/

/** Parses the text as a JSON list, object or string; null if it is none of them. */
export function parseStructure(text: string, depth: number): Value {
  if (!STRUCTURE_START.test(text)) return null
  const last = text.charCodeAt(text.length - 1)
  if (last !== 0x5d && last !== 0x7d && last !== 0x22) return null
  return parseIfJson(text, depth) ?? null
}
