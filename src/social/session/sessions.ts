import { type Problem, ProblemError } from '../../catalogue/problem.ts'
import type { ActingUser } from '../source/provider.ts'
import type { SessionKeys } from './session-keys.ts'
import { findSession, hashToken } from './session-store.ts'
import { findGrant, type RenewingOptions } from './upstream/renew-grant.ts'

/** What the endpoints ask of sessions. */
export type Sessions = {
  /** Whether both values are of one session, whether or not it still lasts. */
  readonly isCt0Of: SessionKeys['isCt0Of']
  /**
   * For whom a token stands.
   * @throws ProblemError `credential_refused` for one that is unknown, expired or revoked; what keeps the upstream
   *   from renewing its own token.
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

export function createSessions(options: RenewingOptions): Sessions {
  return {
    isCt0Of: options.keys.isCt0Of,
    async find(token, asking) {
      const row = await findSession(options.state, hashToken(token), asking.now)
      if (!row) throw new ProblemError(REFUSED)
      if (row.sealed_grant === null) return { userId: row.user_id, accessToken: null }
      const grant = await findGrant(options, row, asking)
      if (!grant) throw new ProblemError(REFUSED)
      return { userId: row.user_id, accessToken: grant.accessToken }
    },
  }
}
