import { toCallParts } from '../call-parts.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Service } from '../service.ts'

const MAX_TEXT_LENGTH = 200

/** A shell command that calls an endpoint with its example; a paid one answers 402. */
export function buildCurl(service: Service, endpoint: Endpoint): string {
  const { path, query, body } = toCallParts(endpoint, endpoint.example.input)
  const url = quote(`${service.baseUrl}${path}${query}`)
  const curl = endpoint.method === 'GET' ? `curl ${url}` : `curl -X ${endpoint.method} ${url}`
  if (!body) return curl
  if (body.kind === 'json')
    return `${curl} -H 'content-type: application/json' -d ${quote(JSON.stringify(body.value))}`
  const parts = body.fields.map(
    ([name, value]) => `-F ${quote(`${name}=${value instanceof File ? `@${value.name}` : value}`)}`,
  )
  return `${curl} ${parts.join(' ')}`
}

/** The example's answer as indented JSON, with long texts cut. */
export function showAnswer(endpoint: Endpoint): string {
  const shorten = (_: string, value: unknown) =>
    typeof value === 'string' && value.length > MAX_TEXT_LENGTH
      ? `${value.slice(0, MAX_TEXT_LENGTH)}…`
      : value
  return JSON.stringify(endpoint.example.output, shorten, 2) ?? ''
}

/** A text as one word of a shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
