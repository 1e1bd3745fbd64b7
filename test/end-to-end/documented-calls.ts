import { readFileSync } from 'node:fs'

/** Commands of a document, and the answer that it shows below them. */
export type DocumentedCall = {
  readonly document: string
  /** Shell lines, the last of which is the call. */
  readonly commands: string
  /** JSON, verbatim. */
  readonly answer: string
}

const CALL = /```sh\n((?:[^`\n][^\n]*\n)*npx node src\/main\.ts call [^\n]*\n)```\n\n```json\n(.*?)\n```/gs

/** The calls of a document that have their answer below them, in order. */
export function readDocumentedCalls(document: string): DocumentedCall[] {
  const found = readFileSync(document, 'utf8').matchAll(CALL)
  return [...found].map(([, commands = '', answer = '']) => ({ document, commands, answer }))
}

/** What differs between calls: times, request ids, durations and scores. */
const OTHER_EACH_TIME = /^(?:ts|\w+_at|expires|request_id|response_time|duration_ms|score)$/

/** A JSON value in which fields that vary between calls show only their type. */
export function withoutMoments(value: unknown, name = ''): unknown {
  if (OTHER_EACH_TIME.test(name) && value !== null) return typeof value
  if (Array.isArray(value)) return value.map((item) => withoutMoments(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutMoments(inner, key)]))
}
