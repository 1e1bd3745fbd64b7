import * as json from './json-cursor.ts'

/** The source text of a JSON object's member, the last of repeated ones; null if there is none. The text must be valid JSON. */
export function findMemberSource(text: string, wanted: string): string | null {
  const cursor = new json.JsonCursor(text)
  if (cursor.next() !== json.OPEN_OBJECT) return null
  let found: string | null = null
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
      if (name === wanted) found = text.slice(valueAt, cursor.at - 1).trim()
      valueAt = -1
    }
  }
  return found
}
