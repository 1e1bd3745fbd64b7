import type { Fault } from '../../catalogue/problem.ts'
import { isInRange } from '../model/social-id.ts'

/** Specification 4.3. */
const MAX_IDS = 50

/** The ids of a batch in the order asked for, each once. */
export function idsOf({ ids }: { readonly ids: string }): string[] {
  return [...new Set(ids.split(',').map((id) => id.trim()))]
}

/** What is wrong with the ids of a batch. */
export function findIdFaults(given: { readonly ids: string }): readonly Fault[] {
  const ids = idsOf(given)
  const wrong = ids.find((id) => !/^\d{1,19}$/.test(id) || !isInRange(id))
  if (wrong !== undefined)
    return [
      { parameter: 'ids', detail: `has ${JSON.stringify(wrong.slice(0, 30))}, which is no numeric tweet ID` },
    ]
  if (ids.length > MAX_IDS)
    return [{ parameter: 'ids', detail: `has ${ids.length} IDs; send at most ${MAX_IDS}` }]
  return []
}
