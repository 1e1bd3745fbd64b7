import { type DestinationStream, type Logger, pino } from 'pino'

/** Headers and fields that are removed from every logged object. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'payment-signature',
  'x-payment',
  'idempotency-key',
  'sign-in-with-x',
  'authorization',
  'cookie',
  'auth_token',
  'x-auth-token',
  'ct0',
  'x-ct0',
])
/** Deeper than any logged object; also ends the recursion for one that contains itself. */
const DEEPEST = 6

/**
 * The product's logger: JSON lines, with secrets redacted at any depth of plain objects and lists. Pino's own
 * redaction with wildcards costs more than the rest of a line, and covers only the listed depths.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const formatters = { log: (fields: Fields) => blotOut(fields, 0) as Fields }
  const options = { level, formatters, serializers: { err: toLoggedError } }
  return destination ? pino(options, destination) : pino(options)
}

/** An error without the text that `JSON.parse` quotes in its message, which may come from a model's answer. */
function toLoggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const logged = pino.stdSerializers.err(error)
  let each: unknown = error
  for (let depth = 0; each instanceof Error && depth < DEEPEST; depth += 1) {
    if (each instanceof SyntaxError && each.message !== '') {
      logged.message = logged.message.replaceAll(each.message, 'a text that cannot be read')
      logged.stack = logged.stack.replaceAll(each.message, 'a text that cannot be read')
    }
    each = each.cause
  }
  return logged
}

type Fields = Record<string, unknown>

/** The value itself if it contains no secret, otherwise a redacted copy. */
function blotOut(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > DEEPEST) return '[deeper]'
  if (Array.isArray(value))
    return value.some(isObject) ? value.map((item) => blotOut(item, depth + 1)) : value
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  let copy: Fields | undefined
  for (const name in value) {
    const field = (value as Fields)[name]
    const shown =
      SECRET_NAMES.has(name) || SECRET_NAMES.has(name.toLowerCase()) ? '[secret]' : blotOut(field, depth + 1)
    if (shown === field) continue
    copy ??= { ...value }
    copy[name] = shown
  }
  return copy ?? value
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
