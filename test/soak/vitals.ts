import type { House } from './town.ts'

/** Metrics of one process at one moment. */
export type Sample = {
  readonly house: string
  /** Time since the soak began. */
  readonly seconds: number
  /** When the process began, in epoch seconds; differs for each lifetime of a house. */
  readonly bornSeconds: number
  readonly residentBytes: number
  /** Loop delay since the first sample of this process, in milliseconds. */
  readonly delayP999Ms: number
}

const MEMORY = /^process_resident_memory_bytes (\S+)$/m
const BORN = /^process_start_time_seconds (\S+)$/m
const P999 = /^tollbook_event_loop_delay_seconds\{quantile="0.999"\} (\S+)$/m

/** Samples every process that is up; skips one that is just dying. */
export async function takeSamples(houses: readonly House[], seconds: number): Promise<readonly Sample[]> {
  const samples = houses
    .filter(({ isUp }) => isUp)
    .map(async ({ name, url }) => {
      const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(10_000) }).catch(() => null)
      const text = (await answer?.text().catch(() => '')) ?? ''
      const [residentBytes, bornSeconds, p999] = [MEMORY, BORN, P999].map((form) =>
        Number(form.exec(text)?.[1]),
      )
      if (!residentBytes || !bornSeconds || p999 === undefined) return []
      return [{ house: name, seconds, bornSeconds, residentBytes, delayP999Ms: p999 * 1000 }]
    })
  return (await Promise.all(samples)).flat()
}

/** The samples of each process of one house, oldest first: a killed process starts a new list. */
export function toLives(samples: readonly Sample[]): readonly (readonly Sample[])[] {
  return [...Map.groupBy(samples, ({ bornSeconds }) => bornSeconds).values()]
}

/** Observed duration of a lifetime, in seconds. */
export function lengthOf(life: readonly Sample[]): number {
  return (life.at(-1)?.seconds ?? 0) - (life[0]?.seconds ?? 0)
}

/** With fewer samples of a loop, one every 20 ms, its thousandth is the single worst one. */
const MIN_LOOP_SECONDS = 60

/** The worst 99.9th percentile of the loop delay over whole lifetimes, in ms; NaN if all were too short. */
export function worstDelay(lives: readonly (readonly Sample[])[]): number {
  const seen = lives.filter((life) => lengthOf(life) >= MIN_LOOP_SECONDS)
  const delays = seen.flatMap((life) => life.at(-1)?.delayP999Ms ?? [])
  return delays.length === 0 ? Number.NaN : Math.max(...delays)
}
