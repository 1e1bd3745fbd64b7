import { isRawNumber } from '@tollbook/flow/json/exact-json'

/** Characters of a piece, and of the parts of a long string. */
const PIECE_LENGTH = 65_536
const HIGH_SURROGATE = /[\ud800-\udbff]$/

type Frame = {
  readonly container: object
  /** Null in an array. */
  readonly names: readonly string[] | null
  readonly length: number
  at: number
}

/**
 * JSON with sorted member names and no white space, in the order of RFC 8785. Undefined members are omitted;
 * integers that JSON numbers cannot hold have a trailing n. In pieces of whole characters, so that a long value can
 * be written across turns of the event loop.
 */
export function* canonicalPieces(value: unknown): Generator<string, undefined> {
  const root = begin(value)
  if (!root) {
    yield* writeScalar(value)
    return
  }
  let text = root.names ? '{' : '['
  const stack: Frame[] = [root]
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    if (top.at === top.length) {
      text += top.names ? '}' : ']'
      stack.pop()
      continue
    }
    if (top.at > 0) text += ','
    const name = top.names?.[top.at]
    if (name !== undefined) text += `${JSON.stringify(name)}:`
    const child = (top.container as Record<PropertyKey, unknown>)[name ?? top.at]
    top.at += 1
    const frame = begin(child)
    if (frame) {
      text += frame.names ? '{' : '['
      stack.push(frame)
    } else if (typeof child === 'string' && child.length > PIECE_LENGTH) {
      yield text
      yield* writeScalar(child)
      text = ''
    } else text += toScalar(child)
    if (text.length > PIECE_LENGTH) {
      yield text
      text = ''
    }
  }
  yield text
}

function begin(value: unknown): Frame | null {
  if (typeof value !== 'object' || value === null || value instanceof Date || isRawNumber(value)) return null
  if (Array.isArray(value)) return { container: value, names: null, length: value.length, at: 0 }
  const members = value as Record<string, unknown>
  const names = Object.keys(members)
    .filter((name) => members[name] !== undefined)
    .sort()
  return { container: value, names, length: names.length, at: 0 }
}

function toScalar(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  return JSON.stringify(value) ?? 'null'
}

/** Splits a long string; no piece ends within a surrogate pair. */
function* writeScalar(value: unknown): Generator<string, undefined> {
  if (typeof value !== 'string' || value.length <= PIECE_LENGTH) {
    yield toScalar(value)
    return
  }
  yield '"'
  for (let from = 0; from < value.length; ) {
    const until = from + PIECE_LENGTH
    const end = HIGH_SURROGATE.test(value.slice(until - 1, until)) ? until - 1 : until
    yield JSON.stringify(value.slice(from, end)).slice(1, -1)
    from = end
  }
  yield '"'
}
