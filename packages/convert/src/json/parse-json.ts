import * as json from '@tollbook/flow/json/json-cursor'
import { ConvertError } from '../convert-error.ts'
import { TextCursor } from '../text-cursor.ts'
import { Fields, NumberText, type Value } from '../value.ts'

/** https://tc39.es/proposal-json-parse-with-source, which TypeScript's types lack. */
type ParseWithSource = (
  text: string,
  reviver?: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown
const parseWithSource = JSON.parse as ParseWithSource

/**
 * Numbers that JavaScript may write in another way: many digits, an exponent, trailing zeros, more than six leading
 * zeros, or -0. Strings may match too, which only costs time.
 */
const REWRITTEN = /(?:^|[[:,\s])-?(?:[\d.]{16}|[\d.]+[eE]|\d+\.\d*0(?!\d)|0\.0{6}|(?<=-)0(?![\d.]))/

/** Put before names that are integers, because an object lists those first, and before names that begin with it. */
const MARK = '\uf8ff'
/** In valid JSON, a quote without a backslash before it is the start or the end of a string. */
const MARKED_NAME = /(?<!\\)"(?=\d+"\s*:|(?:\uf8ff|\\uf8ff)[^"\\]*(?:\\.[^"\\]*)*"\s*:)/gi

/**
 * Parses a JSON text by RFC 8259. Numbers stay as written, names in their order; of repeated names the last counts.
 * @param depth maximum nesting of lists and objects
 * @param line the line on which the text begins
 * @throws ConvertError with line and column
 */
export function parseJson(text: string, depth: number, line = 1): Value {
  const value = parseIfJson(text, depth)
  if (value !== undefined) return value
  const tooDeep = findTooDeep(text, depth)
  const { offset, message } =
    tooDeep === null
      ? findSyntaxError(text)
      : { offset: tooDeep, message: `lists and objects are nested too deeply (limit ${depth} levels)` }
  const cursor = new TextCursor([text])
  cursor.advance(offset)
  const place = cursor.place()
  throw new ConvertError(message, line + place.line - 1, place.column)
}

/** As `parseJson`, but undefined if the text is not valid JSON or is nested too deeply. */
export function parseIfJson(text: string, depth: number): Value | undefined {
  if (findTooDeep(text, depth) !== null) return undefined
  const marked = text.replaceAll(MARKED_NAME, `"${MARK}`)
  try {
    return toValue(REWRITTEN.test(text) ? parseWithSource(marked, keepNumber) : parseWithSource(marked))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function keepNumber(_: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' && source !== undefined ? new NumberText(source) : value
}

/** What `JSON.parse` returns has no other values. */
function toValue(parsed: unknown): Value {
  if (typeof parsed === 'number') return new NumberText(String(parsed))
  if (parsed === null || typeof parsed !== 'object' || parsed instanceof NumberText) return parsed as Value
  if (Array.isArray(parsed)) return parsed.map(toValue)
  const names = Object.keys(parsed).map((name) => (name.startsWith(MARK) ? name.slice(1) : name))
  return new Fields(names, Object.values(parsed).map(toValue))
}

/** Offset of the first bracket below the maximum depth, or null. */
function findTooDeep(text: string, depth: number): number | null {
  const cursor = new json.JsonCursor(text)
  let open = 0
  for (let code = cursor.next(); code !== json.END; code = cursor.next()) {
    if (code === json.OPEN_LIST || code === json.OPEN_OBJECT) open += 1
    else if (code === json.CLOSE_LIST || code === json.CLOSE_OBJECT) open -= 1
    if (open > depth) return cursor.at - 1
  }
  return null
}

/** Where a text ceases to be JSON, and V8's message without its place. */
function findSyntaxError(text: string): { readonly offset: number; readonly message: string } {
  const error = messageOf(text) ?? ''
  const [message = ''] = error.split(/ (?:in JSON )?at position |, (?:\.\.\.)?"/, 1)
  return { offset: offsetOf(error, text), message: message.charAt(0).toLowerCase() + message.slice(1) }
}

/** V8 does not say where an unexpected token is: behind the longest beginning that lacks only its end. */
function offsetOf(error: string, text: string): number {
  const place = findPlace(error, text)
  if (place !== null) return place
  let [valid, invalid] = [0, text.length]
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2)
    const part = text.slice(0, middle)
    const of = messageOf(part)
    if (of === null || findPlace(of, part) === middle) valid = middle
    else invalid = middle
  }
  return valid
}

function findPlace(error: string, text: string): number | null {
  if (error === 'Unexpected end of JSON input') return text.length
  const [, place] = / at position (\d+)/.exec(error) ?? []
  return place === undefined ? null : Number(place)
}

/** Null if the text is valid. */
function messageOf(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    if (error instanceof SyntaxError) return error.message
    throw error
  }
}
