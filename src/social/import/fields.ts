/** A JSON object whose fields nobody has looked at yet. */
export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
