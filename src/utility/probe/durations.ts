import type { Timings } from '../../fetching/fetched-answer.ts'

/** A duration for readers: a tenth of a millisecond is finer than any network. */
export function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10
}

/** From the start of a request to the first byte of its answer, ms, waits for a turn left out. */
export function sumOf({ dnsMs, connectMs, tlsMs, firstByteMs }: Timings): number {
  return dnsMs + connectMs + (tlsMs ?? 0) + firstByteMs
}
