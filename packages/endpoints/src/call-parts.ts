/** Of an endpoint, what decides where a request carries each field. */
export type CallForm = {
  readonly method: string
  readonly path: string
  readonly accepts?: 'json' | 'multipart' | 'either'
  readonly input: { readonly shape: object }
}

type Fields = readonly (readonly [name: string, value: unknown])[]

export type CallParts = {
  /** Percent-encoded; a parameter without a value keeps its name. */
  readonly path: string
  /** With its question mark; empty without fields. */
  readonly query: string
  readonly body:
    | { readonly kind: 'json'; readonly value: unknown }
    | { readonly kind: 'form'; readonly fields: Fields }
    | null
}

/** Divides an input by where a request of this method carries each field. */
export function toCallParts(
  endpoint: CallForm,
  input: Readonly<Record<string, unknown>>,
  method: string = endpoint.method,
): CallParts {
  const inPath = new Set(pathParametersOf(endpoint))
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    toSegment(toTexts(input[name])[0] ?? name),
  )
  const others = Object.entries(input).filter(([name]) => !inPath.has(name))
  if (method === 'GET' || method === 'DELETE') return { path, query: toQuery(others), body: null }
  const isForm = endpoint.accepts === 'either' ? 'file' in input : endpoint.accepts === 'multipart'
  if (isForm) return { path, query: '', body: { kind: 'form', fields: others } }
  if (!('body' in endpoint.input.shape))
    return { path, query: '', body: { kind: 'json', value: Object.fromEntries(others) } }
  const query = toQuery(others.filter(([name]) => name !== 'body'))
  return { path, query, body: { kind: 'json', value: input.body ?? null } }
}

/** The URL of a call; or the path parameter without a value, or `path` for one that is `.` or `..`. */
export function toCallUrl(
  baseUrl: string,
  endpoint: CallForm,
  input: Readonly<Record<string, unknown>>,
  { path, query }: CallParts,
): URL | string {
  const url = new URL(`${baseUrl}${path}${query}`)
  const missing = pathParametersOf(endpoint).find((name) => !toTexts(input[name])[0])
  return missing ?? (url.pathname === path ? url : 'path')
}

/** The names of the parameters in an endpoint's path. */
export function pathParametersOf({ path }: Pick<CallForm, 'path'>): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
}

/** A colon is allowed in a segment (RFC 3986 section 3.3), and the patterns of paths have it. */
function toSegment(text: string): string {
  return encodeURIComponent(text).replaceAll('%3A', ':')
}

/** A value as a query or a form has it; a list is repeated. */
export function toTexts(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap(toTexts)
  // A URL cannot have half of a surrogate pair.
  return [(typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed()]
}

function toQuery(fields: Fields): string {
  const query = new URLSearchParams()
  for (const [name, value] of fields) for (const text of toTexts(value)) query.append(name, text)
  return query.size > 0 ? `?${query}` : ''
}
