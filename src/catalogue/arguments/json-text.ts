import * as json from '../../engines/json/json-cursor.ts'

/** The source text of a JSON value, for fields whose numbers may have more digits than a double. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * Source texts of a JSON object's members that are not strings, the last of repeated ones, added to `found`.
 * The text must be valid JSON.
 */
export function readMemberTexts(
  text: string,
  names: readonly string[],
  found = new Map<string, JsonText>(),
): ReadonlyMap<string, JsonText> {
  const cursor = new json.JsonCursor(text)
  if (cursor.next() !== json.OPEN_OBJECT) return found
  let depth = 1
  let name: unknown
  /** Where the value of the current member begins; -1 before its name. */
  let valueAt = -1
  for (let code = cursor.next(); code !== json.END; code = cursor.next()) {
    if (code === json.OPEN_OBJECT || code === json.OPEN_LIST) depth += 1
    else if (code === json.CLOSE_OBJECT || code === json.CLOSE_LIST) depth -= 1
    if (depth > 1) continue
    if (code === json.QUOTE && valueAt < 0) {
      name = JSON.parse(text.slice(cursor.start, cursor.at))
      valueAt = text.indexOf(':', cursor.at) + 1
    } else if ((code === json.COMMA || depth === 0) && valueAt >= 0) {
      const wanted = names.find((one) => one === name)
      if (wanted !== undefined) keep(found, wanted, text.slice(valueAt, cursor.at - 1).trim())
      valueAt = -1
    }
  }
  return found
}

function keep(found: Map<string, JsonText>, name: string, text: string): void {
  if (text.startsWith('"')) found.delete(name)
  else found.set(name, new JsonText(text))
}
