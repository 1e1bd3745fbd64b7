/**
 * What a part may take on disk on Linux, x64: MiB, and packages from outside this repository. `target` is the
 * goal where the measured `max` is still above it.
 */
export type WeightLimit = {
  readonly parts: readonly string[]
  readonly max: number
  readonly target?: number
  readonly maxPackages?: number
}

export const WEIGHTS: readonly WeightLimit[] = [
  { parts: ['packages/gate'], max: 16, target: 15, maxPackages: 4 },
  { parts: ['packages/facilitator'], max: 41 },
  { parts: ['packages/verify'], max: 11 },
  { parts: ['packages/safe-fetch'], max: 2 },
  { parts: ['packages/calc'], max: 2 },
  { parts: ['apps/social'], max: 64 },
  { parts: ['apps/report'], max: 133 },
  { parts: ['apps/report', 'apps/social', 'packages/devchain'], max: 275 },
  { parts: ['apps/utility'], max: 204 },
  { parts: ['apps/inference'], max: 86 },
  { parts: ['apps/cli'], max: 59 },
]

/** The same for a whole install. */
export const INSTALLS = {
  everything: { max: 1_075 },
  everythingWithoutNode: { max: 886 },
  development: { max: 1_550, target: 1_500 },
} as const
