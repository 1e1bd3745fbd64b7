import { Bytes, Fields, NumberText, type Value } from '../value.ts'

/** Serializes a value as JSON, with `indent` spaces per level if above 0. Binary data become strings. */
export function toJsonText(value: Value, indent = 0, depth = 0): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof NumberText) return value.text
  if (value instanceof Bytes) return JSON.stringify(value.toText())
  const inner = indent > 0 ? `\n${' '.repeat(indent * (depth + 1))}` : ''
  const outer = indent > 0 ? `\n${' '.repeat(indent * depth)}` : ''
  if (value instanceof Fields) {
    const colon = indent > 0 ? ': ' : ':'
    const members = value.names.map(
      (name, at) =>
        `${JSON.stringify(name)}${colon}${toJsonText(value.values[at] ?? null, indent, depth + 1)}`,
    )
    return members.length === 0 ? '{}' : `{${inner}${members.join(`,${inner}`)}${outer}}`
  }
  const items = value.map((item) => toJsonText(item, indent, depth + 1))
  return items.length === 0 ? '[]' : `[${inner}${items.join(`,${inner}`)}${outer}]`
}
