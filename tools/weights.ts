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
  { parts: ['packages/gate'], max: 26, target: 15, maxPackages: 25 },
  { parts: ['packages/facilitator'], max: 143, target: 80 },
  { parts: ['packages/verify'], max: 60 },
  { parts: ['packages/safe-fetch'], max: 2 },
  { parts: ['packages/calc'], max: 2 },
  { parts: ['apps/social'], max: 100 },
  { parts: ['apps/report'], max: 215 },
  { parts: ['apps/report', 'apps/social', 'packages/devchain'], max: 300 },
  { parts: ['apps/utility'], max: 370 },
  { parts: ['apps/inference'], max: 150 },
]

/** The same for a whole install. */
export const INSTALLS = {
  everything: { max: 1_135, target: 1_110 },
  everythingWithoutNode: { max: 947, target: 920 },
  development: { max: 1_691, target: 1_500 },
} as const
