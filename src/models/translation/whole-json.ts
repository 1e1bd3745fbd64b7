/** Detects when a streamed text is a complete JSON object. */
export type WholeJson = {
  readonly add: (text: string) => void
  /** Whether the object has been closed, so that only white space may follow. */
  readonly isWhole: () => boolean
}

/** Tracks the brackets of a JSON text incrementally instead of parsing it repeatedly. */
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
