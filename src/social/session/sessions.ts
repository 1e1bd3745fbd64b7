import { type Problem, ProblemError } from '../../catalogue/problem.ts'
import type { State } from '../../state/state.ts'
import type { ActingUser } from '../source/provider.ts'
import type { SessionKeys } from './session-keys.ts'
import { findSession, hashToken, openGrant } from './session-store.ts'

/** What the endpoints ask of sessions. */
export type Sessions = {
  /** Whether both values are of one session, whether or not it still lasts. */
  readonly isCt0Of: SessionKeys['isCt0Of']
  /**
   * For whom a token stands.
   * @throws ProblemError `credential_refused` for one that is unknown, expired or revoked.
   */
  readonly find: (
    token: string,
    asking: { readonly now: Date; readonly signal: AbortSignal },
  ) => Promise<ActingUser>
}

const REFUSED: Problem = {
  code: 'credential_refused',
  detail: 'The auth_token is of no session that lasts; sign in again at GET /auth/x/start.',
}

export function createSessions({
  state,
  keys,
}: {
  readonly state: State
  readonly keys: SessionKeys
}): Sessions {
  return {
    isCt0Of: keys.isCt0Of,
    async find(token, { now }) {
      const row = await findSession(state, hashToken(token), now)
      if (!row) throw new ProblemError(REFUSED)
      if (row.sealed_grant === null) return { userId: row.user_id, accessToken: null }
      const grant = openGrant(keys, row)
      if (!grant) throw new ProblemError(REFUSED)
      return { userId: row.user_id, accessToken: grant.accessToken }
    },
  }
}
