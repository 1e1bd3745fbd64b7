import type { Endpoint } from '../endpoint.ts'
import type { Service } from '../service.ts'

/** Max length of an example's text on pages. */
const MAX_TEXT_LENGTH = 200

/** A shell command that calls an endpoint with its example; a paid one answers 402. */
export function buildCurl(service: Service, endpoint: Endpoint): string {
  const input = endpoint.example.input as Readonly<Record<string, unknown>>
  const names = new Set([...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''))
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input[name] ?? name)),
  )
  const others = Object.entries(input).filter(([name]) => !names.has(name))
  const url = `${service.baseUrl}${path}`
  if (endpoint.method === 'GET' || endpoint.method === 'DELETE') {
    const method = endpoint.method === 'GET' ? '' : `-X ${endpoint.method} `
    return `curl ${method}${quote(`${url}${toQuery(others)}`)}`
  }
  if (endpoint.accepts === 'multipart') {
    const parts = others.map(
      ([name, value]) => `-F ${quote(`${name}=${value instanceof File ? `@${value.name}` : value}`)}`,
    )
    return `curl -X ${endpoint.method} ${quote(url)} ${parts.join(' ')}`
  }
  const body = 'body' in input ? input.body : Object.fromEntries(others)
  return `curl -X ${endpoint.method} ${quote(url)} -H 'content-type: application/json' -d ${quote(JSON.stringify(body))}`
}

/** The example's answer as indented JSON, with long texts cut. */
export function showAnswer(endpoint: Endpoint): string {
  const shorten = (_: string, value: unknown) =>
    typeof value === 'string' && value.length > MAX_TEXT_LENGTH
      ? `${value.slice(0, MAX_TEXT_LENGTH)}…`
      : value
  return JSON.stringify(endpoint.example.output, shorten, 2) ?? ''
}

function toQuery(pairs: readonly [string, unknown][]): string {
  const query = new URLSearchParams()
  for (const [name, value] of pairs) for (const item of [value].flat()) query.append(name, String(item))
  return pairs.length > 0 ? `?${query}` : ''
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
