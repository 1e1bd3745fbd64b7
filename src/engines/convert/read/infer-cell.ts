import { ConvertFault } from '../convert-fault.ts'
import { JsonReader } from '../json/json-reader.ts'
import { TextCursor } from '../text-cursor.ts'
import { JSON_NUMBER, NumberText, type Value } from '../value.ts'

/**
 * What the cell of a CSV or TSV row stands for. Without quotes: nothing is null, as in the CSV of PostgreSQL, and
 * `true`, `false` and numbers of JSON are what they look like; `007` and `+1` are texts. A cell with the text of a
 * JSON list, object or string is that value. Everything else, and everything in quotes, is text.
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

/** Whether a text must be written in another way, because it would be read as something else. */
export function isAmbiguous(text: string, depth: number): boolean {
  return parseStructure(text, depth) !== null
}

/** Whether a text needs quotes, because it would be read as something else without. */
export function needsQuotes(text: string): boolean {
  return text === '' || text === 'true' || text === 'false' || JSON_NUMBER.test(text)
}

/** How a list, object or string of JSON begins; most other texts are told from them by this alone. */
const STRUCTURE_START = /^(?:\[\s*[\][{"\-\dtfn]|\{\s*["}]|")/

/** The list, object or string that the text is in JSON, or null. */
export function parseStructure(text: string, depth: number): Value {
  if (!STRUCTURE_START.test(text)) return null
  const last = text.charCodeAt(text.length - 1)
  if (last !== 0x5d && last !== 0x7d && last !== 0x22) return null
  try {
    const reader = new JsonReader(new TextCursor([text]), { depth })
    const value = reader.value(0)
    reader.expectEnd()
    return value
  } catch (error) {
    if (error instanceof ConvertFault) return null
    throw error
  }
}
