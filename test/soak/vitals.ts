import type { House } from './town.ts'

/** What a process said of itself at one moment. */
export type Sample = {
  readonly house: string
  /** Since the soak began. */
  readonly seconds: number
  readonly residentBytes: number
  /** Of the loop's delay since the first sample of this process, in milliseconds. */
  readonly delayP50Ms: number
  readonly delayP999Ms: number
}

const MEMORY = /^process_resident_memory_bytes (\S+)$/m
const P50 = /^tollbook_event_loop_delay_seconds\{quantile="0.5"\} (\S+)$/m
const P999 = /^tollbook_event_loop_delay_seconds\{quantile="0.999"\} (\S+)$/m

/** Asks every process that is up; one that is just dying is left out. */
export async function takeSamples(houses: readonly House[], seconds: number): Promise<readonly Sample[]> {
  const samples = houses
    .filter(({ isUp }) => isUp)
    .map(async ({ name, url }) => {
      const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(10_000) }).catch(() => null)
      const text = (await answer?.text().catch(() => '')) ?? ''
      const [residentBytes, p50, p999] = [MEMORY, P50, P999].map((form) => Number(form.exec(text)?.[1]))
      if (!residentBytes || p50 === undefined || p999 === undefined) return []
      return [{ house: name, seconds, residentBytes, delayP50Ms: p50 * 1000, delayP999Ms: p999 * 1000 }]
    })
  return (await Promise.all(samples)).flat()
}

/**
 * How memory went: the median of the last fifth of the samples over that of the second fifth, so that neither the
 * start nor one collection decides.
 */
export function memoryGrowth(samples: readonly Sample[]): number {
  const fifth = Math.floor(samples.length / 5)
  const sizes = samples.map(({ residentBytes }) => residentBytes)
  return medianOf(sizes.slice(-fifth)) / medianOf(sizes.slice(fifth, 2 * fifth))
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
