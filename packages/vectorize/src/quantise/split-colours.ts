import type { Bin } from './histogram.ts'
import { distanceBetween, type Sample } from './samples.ts'

export type SplitOptions = {
  /** Maximum number of colours; at least 1. */
  readonly max: number
  /** Splitting stops once every significant colour is within this distance of a chosen one. */
  readonly tolerance: number
  /** Minimum share of the total weight for a colour to be significant. */
  readonly minShare: number
}

const ROUNDS = 6

/**
 * Chooses representative colours: repeatedly splits the group with the largest squared error in two, then
 * refines the means by k-means. Deterministic.
 */
export function splitColours(bins: readonly Bin[], { max, tolerance, minShare }: SplitOptions): Sample[] {
  const whole = bins.reduce((sum, { weight }) => sum + weight, 0)
  const min = whole * minShare
  const means = Float64Array.from(bins.flatMap(({ mean }) => [...mean]))
  let groups = bins.length === 0 ? [] : [[...bins]]
  let centres = groups.map(meanOf)
  while (centres.length < max) {
    const candidates = groups
      .map((group, at) => measure(group, centres[at] ?? [0, 0, 0, 0], tolerance))
      .map((measured, at) => ({ ...measured, at }))
      .filter(({ farWeight }) => farWeight >= min)
    if (candidates.length === 0) break
    const { at } = candidates.reduce((one, other) => (other.error > one.error ? other : one))
    const halves = splitGroup(groups[at] ?? [], centres[at] ?? [0, 0, 0, 0])
    if (!halves) break
    centres = [...centres.slice(0, at), ...halves.map(meanOf), ...centres.slice(at + 1)]
    groups = assign(bins, means, centres)
    centres = groups.map(meanOf)
  }
  for (let round = 0; round < ROUNDS; round++) {
    groups = assign(bins, means, centres).filter((group) => group.length > 0)
    centres = groups.map(meanOf)
  }
  return centres
}

function measure(group: readonly Bin[], centre: Sample, tolerance: number) {
  let [error, farWeight] = [0, 0]
  for (const { weight, mean } of group) {
    const square = distanceBetween(mean, centre)
    error += weight * square
    if (square > tolerance * tolerance) farWeight += weight
  }
  return { error, farWeight }
}

/** Splits a group at the mean of the channel with the largest variance; null if all colours are equal. */
function splitGroup(group: readonly Bin[], centre: Sample): Bin[][] | null {
  const spreads = ([0, 1, 2, 3] as const).map((channel) =>
    group.reduce((sum, { weight, mean }) => sum + weight * (mean[channel] - centre[channel]) ** 2, 0),
  )
  const channel = spreads.indexOf(Math.max(...spreads)) as 0 | 1 | 2 | 3
  const lower = group.filter(({ mean }) => mean[channel] <= centre[channel])
  const upper = group.filter(({ mean }) => mean[channel] > centre[channel])
  return lower.length > 0 && upper.length > 0 ? [lower, upper] : null
}

/** Groups bins by their nearest centre. Flat arrays: this is nearly all of the time that many colours take. */
function assign(bins: readonly Bin[], means: Float64Array, centres: readonly Sample[]): Bin[][] {
  const groups: Bin[][] = centres.map(() => [])
  const flat = Float64Array.from(centres.flatMap((centre) => [...centre]))
  for (const [index, bin] of bins.entries()) {
    const from = 4 * index
    const [red, green] = [means[from] as number, means[from + 1] as number]
    const [blue, opacity] = [means[from + 2] as number, means[from + 3] as number]
    let best = 0
    let nearest = Number.POSITIVE_INFINITY
    for (let at = 0; at < flat.length; at += 4) {
      const distance =
        (red - (flat[at] as number)) ** 2 +
        (green - (flat[at + 1] as number)) ** 2 +
        (blue - (flat[at + 2] as number)) ** 2 +
        (opacity - (flat[at + 3] as number)) ** 2
      if (distance < nearest) {
        nearest = distance
        best = at
      }
    }
    groups[best / 4]?.push(bin)
  }
  return groups
}

function meanOf(group: readonly Bin[]): Sample {
  const sum = [0, 0, 0, 0, 0]
  for (const { weight, mean } of group) {
    sum[4] = (sum[4] ?? 0) + weight
    for (let channel = 0; channel < 4; channel++)
      sum[channel] = (sum[channel] ?? 0) + weight * (mean[channel] ?? 0)
  }
  const [red = 0, green = 0, blue = 0, opacity = 0, weight = 0] = sum
  return weight > 0 ? [red / weight, green / weight, blue / weight, opacity / weight] : [0, 0, 0, 0]
}
