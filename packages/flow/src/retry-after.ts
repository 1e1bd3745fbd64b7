/** The wait if the header is absent or cannot be parsed. */
const STANDARD_WAIT_MS = 1000

/** How long a host asks clients to wait, ms. A second if the header is absent or cannot be parsed. */
export function readRetryAfterMs(
  headers: Readonly<Record<string, string>>,
  nowMs: number = Date.now(),
): number {
  return parseRetryAfterMs(headers['retry-after'] ?? null, nowMs) ?? STANDARD_WAIT_MS
}

/**
 * `Retry-After` as seconds or as a date (RFC 9110 section 10.2.3).
 * @returns ms from now; null when absent or neither.
 */
export function parseRetryAfterMs(value: string | null, nowMs: number): number | null {
  const reported = value?.trim() ?? ''
  if (/^\d{1,9}$/.test(reported)) return Number(reported) * 1000
  const date = Date.parse(reported)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}
