/** Deeper than any upstream's answer; serializing a value with ten thousand levels overflows the stack. */
const MAX_DEPTH = 256

/**
 * The value of a JSON text, bytes as UTF-8; undefined, which JSON cannot represent, if it is invalid or
 * nested too deeply.
 */
export function parseJson(text: Uint8Array | string): unknown {
  try {
    const value: unknown = JSON.parse(typeof text === 'string' ? text : new TextDecoder().decode(text))
    return text.length > 2 * MAX_DEPTH && isTooDeep(value) ? undefined : value
  } catch {
    return undefined
  }
}

function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isNested)
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === MAX_DEPTH) return true
    level = level.flatMap((each) => Object.values(each).filter(isNested))
  }
  return false
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
