/** The source text of a JSON value, for fields whose numbers may have more digits than a double. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * The source texts of the members of a JSON object that are not strings; of a repeated member the last one,
 * as with `JSON.parse`. The text must be valid JSON.
 */
export function readMemberTexts(text: string, names: readonly string[]): ReadonlyMap<string, JsonText> {
  const found = new Map<string, JsonText>()
  let at = skipSpace(text, 0)
  if (text[at] !== '{') return found
  at = skipSpace(text, at + 1)
  while (text[at] === '"') {
    const nameEnd = endOfString(text, at)
    const name: unknown = JSON.parse(text.slice(at, nameEnd))
    // After the colon.
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1)
    const end = endOfValue(text, start)
    const wanted = names.find((one) => one === name)
    if (wanted !== undefined) {
      if (text[start] === '"') found.delete(wanted)
      else found.set(wanted, new JsonText(text.slice(start, end)))
    }
    // After the comma, or at the closing brace.
    at = skipSpace(text, end)
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return found
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= 0x20) at += 1
  return at
}

function endOfString(text: string, from: number): number {
  let at = from + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function endOfValue(text: string, from: number): number {
  if (text[from] === '"') return endOfString(text, from)
  let depth = 0
  for (let at = from; at < text.length; ) {
    const character = text[at]
    if (character === '"') {
      at = endOfString(text, at)
      continue
    }
    if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') {
      depth -= 1
      if (depth <= 0) return depth < 0 ? at : at + 1
    } else if (depth === 0 && (character === ',' || text.charCodeAt(at) <= 0x20)) return at
    at += 1
  }
  return text.length
}
