import type { Fault } from '../../http/problem.ts'
import { isInRange } from '../model/social-id.ts'

/** Specification 4.3. */
const MAX_IDS = 50

/** The ids of a batch in the requested order, without duplicates. */
export function idsOf({ ids }: { readonly ids: string }): string[] {
  return [...new Set(ids.split(',').map((id) => id.trim()))]
}

/** Validation issues of the ids of a batch. */
export function findIdFaults(given: { readonly ids: string }): readonly Fault[] {
  const ids = idsOf(given)
  const wrong = ids.find((id) => !/^\d{1,19}$/.test(id) || !isInRange(id))
  if (wrong !== undefined)
    return [
      {
        parameter: 'ids',
        detail: `contains ${JSON.stringify(wrong.slice(0, 30))}, which is not a numeric tweet ID`,
      },
    ]
  if (ids.length > MAX_IDS) return [{ parameter: 'ids', detail: `has ${ids.length} IDs (limit ${MAX_IDS})` }]
  return []
}
