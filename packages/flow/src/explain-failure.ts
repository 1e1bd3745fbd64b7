/** What a code means to the person who set the URL. */
export const MEANINGS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name cannot be resolved now',
  ECONNREFUSED: 'nothing listens there',
}
const LOOPBACK = /127\.0\.0\.1|::1/

/** Why a `fetch` failed, for the person who typed its URL, of which the text may have the host. */
export function explainFailure(error: Error): string {
  const { code = '', message, cause } = error as NodeJS.ErrnoException
  if (['fetch failed', 'terminated'].includes(message) && cause instanceof Error) return explainFailure(cause)
  // An error of several addresses has no text of its own.
  const each = error instanceof AggregateError ? error.errors.map((one) => String(one.message)) : []
  const text = message || each.join(', ') || code
  const meaning = MEANINGS[code]
  if (meaning === undefined) return text
  const hint = code === 'ECONNREFUSED' && LOOPBACK.test(text) ? '; is tollbook start running?' : ''
  return `${text}: ${meaning}${hint}`
}
