/** What is waited where a host says nothing that can be understood. */
const STANDARD_WAIT_MS = 1000

/**
 * How long a host asks to be left alone, ms: `Retry-After` as seconds or as a date (RFC 9110 section 10.2.3).
 * A second where the header is absent or neither.
 */
export function readRetryAfterMs(
  headers: Readonly<Record<string, string>>,
  nowMs: number = Date.now(),
): number {
  const told = headers['retry-after']?.trim() ?? ''
  if (/^\d{1,9}$/.test(told)) return Number(told) * 1000
  const date = Date.parse(told)
  return Number.isNaN(date) ? STANDARD_WAIT_MS : Math.max(0, date - nowMs)
}
