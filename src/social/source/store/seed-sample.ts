import type { State } from '../../../state/state.ts'
import { sampleBundle } from './sample/sample-bundle.ts'
import { saveBundle } from './save-bundle.ts'

/**
 * Stores the invented data of sample/, so that a fresh installation has an answer for every endpoint.
 * @returns the number of stored users: 0 if the store already has users.
 */
export async function seedSample(state: State, now: Date): Promise<number> {
  const present = await state.db.selectFrom('social_user').select('id').limit(1).executeTakeFirst()
  if (present) return 0
  const sample = sampleBundle()
  await saveBundle(state, sample, now)
  return sample.users.length
}
