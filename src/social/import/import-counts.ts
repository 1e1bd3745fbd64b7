import type { ImportedObjects } from './imported-objects.ts'

/** Counts of what was imported from a source; `skipped` counts values with an invalid format. */
export type SocialImportCounts = {
  readonly users: number
  readonly tweets: number
  readonly media: number
  readonly lists: number
  readonly communities: number
  readonly articles: number
  readonly relations: number
  readonly skipped: number
}

export const NO_COUNTS: SocialImportCounts = Object.freeze({
  users: 0,
  tweets: 0,
  media: 0,
  lists: 0,
  communities: 0,
  articles: 0,
  relations: 0,
  skipped: 0,
})

const NAMES = [
  'users',
  'tweets',
  'media',
  'lists',
  'communities',
  'articles',
  'relations',
  'skipped',
] as const

export function addCounts(one: SocialImportCounts, other: SocialImportCounts): SocialImportCounts {
  const sums = NAMES.map((name) => [name, one[name] + other[name]] as const)
  return { ...NO_COUNTS, ...Object.fromEntries(sums) }
}

export function countObjects({ bundle, faults }: ImportedObjects): SocialImportCounts {
  const counts = Object.entries(bundle).map(([name, objects]) => [name, objects.length] as const)
  return { ...NO_COUNTS, ...Object.fromEntries(counts), skipped: faults.length }
}
