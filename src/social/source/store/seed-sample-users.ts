import type { State } from '../../../state/state.ts'
import { user } from '../../model/user.ts'
import SAMPLE from './sample-users.json' with { type: 'json' }
import { saveBundle } from './save-bundle.ts'

/**
 * Stores the invented users of sample-users.json, so that a fresh installation has somebody to look up.
 * @returns how many were stored: none when the store has users already.
 */
export async function seedSampleUsers(state: State, now: Date): Promise<number> {
  const present = await state.db.selectFrom('social_user').select('id').limit(1).executeTakeFirst()
  if (present) return 0
  const users = SAMPLE.users.map((sample) => user.parse(sample))
  await saveBundle(state, { users }, now)
  return users.length
}
