import type { State } from '../../../state/state.ts'
import { sampleBundle } from './sample/sample-bundle.ts'
import { saveBundle } from './save-bundle.ts'

/**
 * Stores the invented data of sample/, so that a fresh installation has something to answer for every endpoint.
 * @returns how many users were stored: none when the store has users already.
 */
export async function seedSample(state: State, now: Date): Promise<number> {
  const present = await state.db.selectFrom('social_user').select('id').limit(1).executeTakeFirst()
  if (present) return 0
  const sample = sampleBundle()
  await saveBundle(state, sample, now)
  return sample.users.length
}
