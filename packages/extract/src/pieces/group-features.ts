import { findGroups, type GroupKind } from './find-groups.ts'
import { isProse } from './order-features.ts'
import { type FeatureGroup, sumOf } from './prepare-page.ts'

const KIND_NUMBERS: Readonly<Record<GroupKind, number>> = { list: 1, definitions: 2, table: 3 }
const NONE = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]

/** Features of the list or data table around a piece, and of what precedes and follows it. */
export const groupFeatures: FeatureGroup = (view) => {
  const { counts, linkShares, levels, isInside, totalWords, pieces } = view
  const rows = new Map<number, readonly number[]>()
  for (const { kind, members } of findGroups(pieces, counts)) {
    const [first, last] = [members[0] ?? 0, members.at(-1) ?? 0]
    const words = sumOf(members.map((at) => counts[at] ?? 0))
    const linked = sumOf(members.map((at) => (counts[at] ?? 0) * (linkShares[at] ?? 0)))
    const inside = members.filter((at) => isInside[at]).length
    const row = [
      KIND_NUMBERS[kind],
      members.length,
      words,
      words / totalWords,
      words / members.length,
      linked / Math.max(1, words),
      inside / members.length,
      members.filter((at) => isProse(view, at)).length,
      levels[first - 1] ?? -1,
      counts[first - 1] ?? -1,
      counts[last + 1] ?? -1,
      levels[last + 1] ?? -1,
    ]
    for (const at of members) rows.set(at, row)
  }
  return (at) => rows.get(at) ?? NONE
}
