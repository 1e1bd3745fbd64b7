import { lengthOf, type Sample } from './vitals.ts'

/** Memory use of one process over time. */
export type MemoryCourse = {
  /** Observed duration, seconds. */
  readonly seconds: number
  readonly highestBytes: number
  /** Null if the lifetime is too short to judge. */
  readonly growth: MemoryGrowth | null
}

export type MemoryGrowth = {
  /** Median of the second sixth of the lifetime. */
  readonly earlyBytes: number
  /** Median of the last sixth. */
  readonly lateBytes: number
  /** Ratio of late to early; 1 is flat. */
  readonly ratio: number
}

/**
 * A shorter lifetime is mostly warm-up: each thread loads what a call needs when the first such call reaches
 * it, which at six calls a second takes three minutes, and V8 lets a heap grow before it collects all of it.
 */
const MIN_SECONDS = 15 * 60

/**
 * Compares the end of a lifetime with its beginning after the warm-up. Uses medians, since the memory of a
 * process without a leak also rises between two collections; omits the first sixth as warm-up. Growth over
 * the whole lifetime shows as clearly as a leak can.
 */
export function judgeMemory(life: readonly Sample[]): MemoryCourse {
  const seconds = lengthOf(life)
  const highestBytes = Math.max(...life.map(({ residentBytes }) => residentBytes))
  if (seconds < MIN_SECONDS) return { seconds, highestBytes, growth: null }
  const start = life[0]?.seconds ?? 0
  const between = (from: number, to: number) =>
    medianOf(
      life
        .filter(
          (sample) => sample.seconds - start >= from * seconds && sample.seconds - start <= to * seconds,
        )
        .map(({ residentBytes }) => residentBytes),
    )
  const [earlyBytes, lateBytes] = [between(1 / 6, 2 / 6), between(5 / 6, 1)]
  return { seconds, highestBytes, growth: { earlyBytes, lateBytes, ratio: lateBytes / earlyBytes } }
}

/** The memory trend of a process's longest lifetime, which tells most, as a human-readable line. */
export function describeMemory(house: string, lives: readonly (readonly Sample[])[]) {
  const [longest = []] = lives.toSorted((one, other) => lengthOf(other) - lengthOf(one))
  const course = judgeMemory(longest)
  const { seconds, growth } = course
  const minutes = (at: number) => (at / 60).toFixed(1)
  const seen = `${house}: ${lives.length === 1 ? 'one life' : `the longest of ${lives.length} lives`} of ${minutes(seconds)} minutes`
  const highest = `highest ${toMb(course.highestBytes)} MB`
  if (!growth) return { course, words: `${seen}, too short to judge; ${highest}` }
  const { earlyBytes, lateBytes, ratio } = growth
  const words = `${seen}: ${toMb(earlyBytes)} MB from minute ${minutes(seconds / 6)} to ${minutes(seconds / 3)}, ${toMb(lateBytes)} MB from minute ${minutes((seconds * 5) / 6)} on, ${ratio.toFixed(3)} times as much; ${highest}`
  return { course, words }
}

export function toMb(bytes: number): number {
  return Math.round(bytes / 1e6)
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
