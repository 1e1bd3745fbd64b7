/** Tells while a text comes whether it is a whole JSON object. */
export type WholeJson = {
  readonly add: (text: string) => void
  /** Whether an object was opened and closed, so that nothing but white space may follow. */
  readonly isWhole: () => boolean
}

/** Watches the braces of a JSON text, without reading it as a whole again and again. */
export function createWholeJson(): WholeJson {
  let depth = 0
  let isString = false
  let isEscaped = false
  let isWhole = false
  return {
    isWhole: () => isWhole,
    add(text) {
      for (const character of text) {
        if (isEscaped) isEscaped = false
        else if (isString) {
          if (character === '\\') isEscaped = true
          else if (character === '"') isString = false
        } else if (character === '"') isString = true
        else if (character === '{' || character === '[') depth += 1
        else if (character === '}' || character === ']') {
          depth -= 1
          if (depth === 0) isWhole = true
        }
      }
    },
  }
}
