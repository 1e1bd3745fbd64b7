import { isRecord } from '@tollbook/flow/is-record'

/** A JSON value compared by meaning: the order of keys and the letter case of addresses are ignored. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return isAlike(one, other, false)
}

/** Whether `actual` contains everything in `expected`; objects may have further keys, arrays no further items. */
export function containsJson(actual: unknown, expected: unknown): boolean {
  return isAlike(actual, expected, true)
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/

function isAlike(actual: unknown, expected: unknown, mayAdd: boolean): boolean {
  if (actual === expected) return true
  if (typeof expected === 'string' && typeof actual === 'string')
    return actual === expected || (ADDRESS.test(expected) && actual.toLowerCase() === expected.toLowerCase())
  if (Array.isArray(expected))
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((item, at) => isAlike(actual[at], item, false))
    )
  if (!isRecord(expected)) return actual === expected
  if (!isRecord(actual)) return false
  let members = 0
  for (const key of Object.keys(expected)) {
    const value = expected[key]
    if (value === undefined) continue
    members += 1
    if (!Object.hasOwn(actual, key) || !isAlike(actual[key], value, mayAdd)) return false
  }
  return mayAdd || Object.keys(actual).length === members
}
