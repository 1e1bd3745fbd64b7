import type { RequestHead } from '../../http/request/message-request.ts'

export function isUrlEncoded(headers: RequestHead['headers']): boolean {
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers.get('content-type') ?? '')
}

/** The text fields of a form, trimmed and without empty ones. */
export function readFormFields(
  bytes: Uint8Array,
  maxFields: number,
): { readonly fields: Readonly<Record<string, string>> } | { readonly fault: string } {
  // URLSearchParams never fails: invalid UTF-8 becomes U+FFFD, which is rejected where it matters.
  const pairs = new URLSearchParams(new TextDecoder().decode(bytes))
  if (pairs.size > maxFields) return { fault: `has too many fields (limit ${maxFields})` }
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of pairs) {
    if (name in fields) return { fault: 'has a field more than once' }
    if (value.trim() !== '') fields[name] = value.trim()
  }
  return { fields }
}
