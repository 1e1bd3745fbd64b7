import { type Problem, ProblemError } from '@tollbook/http/problem'
import type { ActingUser } from '../source/provider.ts'
import type { SessionKeys } from './session-keys.ts'
import { findSession, hashToken } from './session-store.ts'
import { findGrant, type RenewingOptions } from './upstream/renew-grant.ts'

/** The session operations that endpoints use. */
export type Sessions = {
  /** Whether both values belong to one session, expired or not. */
  readonly isCt0Of: SessionKeys['isCt0Of']
  /**
   * The user that a token identifies.
   * @throws ProblemError `credential_refused` if it is unknown, expired or revoked; the upstream's error
   * if its own token cannot be renewed.
   */
  readonly find: (
    token: string,
    asking: { readonly now: Date; readonly signal: AbortSignal },
  ) => Promise<ActingUser>
}

const REFUSED = 'The auth_token belongs to no active session; '

export function createSessions(options: RenewingOptions): Sessions {
  const again = options.oauth ? 'sign in again at GET /auth/x/start.' : 'ask the operator for a new one.'
  const refused: Problem = { code: 'credential_refused', detail: REFUSED + again }
  return {
    isCt0Of: options.keys.isCt0Of,
    async find(token, asking) {
      const row = await findSession(options.state, hashToken(token), asking.now)
      if (!row) throw new ProblemError(refused)
      if (row.sealed_grant === null) return { userId: row.user_id, accessToken: null }
      const grant = await findGrant(options, row, asking)
      if (!grant) throw new ProblemError(refused)
      return { userId: row.user_id, accessToken: grant.accessToken }
    },
  }
}
