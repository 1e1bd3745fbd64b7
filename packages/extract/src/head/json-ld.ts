export type JsonLd =
  | { readonly valid: true; readonly types: readonly string[]; readonly data: unknown }
  | { readonly valid: false; readonly types: readonly []; readonly error: string; readonly raw: string }

/** Maximum length quoted from a broken block. */
const MAX_RAW_LENGTH = 20_000
/** Depth limit of the search for types, so that nesting cannot exhaust the stack. */
const MAX_DEPTH = 20

export function readJsonLd(text: string): JsonLd {
  try {
    const data: unknown = JSON.parse(text)
    return { valid: true, types: [...new Set(typesOf(data, 0))], data }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not valid JSON'
    return { valid: false, types: [], error: reason, raw: text.trim().slice(0, MAX_RAW_LENGTH) }
  }
}

/** The types of the outermost nodes: of an object, a list or a `@graph`. */
function typesOf(data: unknown, depth: number): readonly string[] {
  if (depth > MAX_DEPTH || typeof data !== 'object' || data === null) return []
  if (Array.isArray(data)) return data.flatMap((item) => typesOf(item, depth + 1))
  const { '@type': type, '@graph': graph } = data as Readonly<Record<string, unknown>>
  const own = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === 'string')
  return [...own, ...typesOf(graph, depth + 1)]
}
