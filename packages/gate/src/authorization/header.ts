import { isUtf8 } from 'node:buffer'
import { cutEchoes, type Echo, restoreEchoes } from './echoes.ts'

/**
 * Maximum length of a payment's header. By default Node rejects requests whose headers exceed 16,384 bytes
 * in total, so a longer one cannot arrive; this limit holds whatever the server's settings are.
 */
const MAX_HEADER_CHARACTERS = 16_384
/** A payment echoes the discovery extension, whose JSON Schemas are nested; real ones stay below 16. */
const MAX_NESTING = 32

/** Why a header cannot be decoded, in words that may be shown to the client. */
export type HeaderIssue = { readonly issue: string }
type Header = { readonly envelope: Record<string, unknown> }

/**
 * Decodes canonical base64 (RFC 4648 section 4, padded; base64url of section 5 unpadded) of a UTF-8 JSON object.
 * @param echoes what most clients send back of the challenge: returned as it was offered, without parsing,
 * which saves three quarters of the work.
 * @example parseHeader(Buffer.from('{"x402Version":2}').toString('base64'))
 */
export function parseHeader(
  text: string,
  echoes: readonly Echo[] = [],
  encoding: 'base64' | 'base64url' = 'base64',
): Header | HeaderIssue {
  if (text.length > MAX_HEADER_CHARACTERS)
    return { issue: `the header is longer than ${MAX_HEADER_CHARACTERS} characters` }
  const bytes = Buffer.from(text, encoding)
  if (text === '' || bytes.toString(encoding) !== text) return { issue: `the header is not ${encoding}` }
  if (!isUtf8(bytes)) return { issue: 'the header is not UTF-8' }
  const json = bytes.toString('utf8')
  const short = cutEchoes(json, echoes)
  if (short.cut.length > 0) {
    const read = parseEnvelope(short.json)
    if ('envelope' in read && restoreEchoes(read.envelope, short.cut)) return read
  }
  return parseEnvelope(json)
}

function parseEnvelope(json: string): Header | HeaderIssue {
  if (nestsDeeperThan(json, MAX_NESTING)) return { issue: 'the header is nested too deeply' }
  let value: unknown
  try {
    value = JSON.parse(json, /__proto__|\\u/.test(json) ? refuseProto : undefined)
  } catch (error) {
    return {
      issue: error instanceof RefusedKey ? 'the header contains the key __proto__' : 'the header is not JSON',
    }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { issue: 'the header is not a JSON object' }
  return { envelope: value as Record<string, unknown> }
}

class RefusedKey extends Error {}

/**
 * A second reader of the header would see this key as an ordinary member, and a copy of the parsed object
 * would lose it.
 */
function refuseProto(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new RefusedKey()
  return value
}

function nestsDeeperThan(json: string, maxDepth: number): boolean {
  let depth = 0
  let isInString = false
  // Character codes: comparing numbers is faster than comparing one-character strings.
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (isInString) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) isInString = false
    } else if (code === QUOTE) isInString = true
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth++
      if (depth > maxDepth) return true
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const [OPEN_BRACKET, CLOSE_BRACKET] = [0x5b, 0x5d]
const [OPEN_BRACE, CLOSE_BRACE] = [0x7b, 0x7d]
