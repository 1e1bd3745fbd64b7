import type { Timings } from '@tollbook/safe-fetch/fetched-answer'

/** A duration in answers: a tenth of a millisecond is finer than any network. */
export function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10
}

/** From the start of a request to the first byte of its response, ms, excluding time in queues. */
export function sumOf({ dnsMs, connectMs, tlsMs, firstByteMs }: Timings): number {
  return dnsMs + connectMs + (tlsMs ?? 0) + firstByteMs
}
