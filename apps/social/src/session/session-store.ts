import { createHash, randomBytes } from 'node:crypto'
import type { SocialSessionTable } from '../state/session-tables.ts'
import type { State } from '../state/state.ts'
import type { SessionKeys } from './session-keys.ts'

/** A token can be guessed with a probability of 2^-160. */
const TOKEN_BYTES = 20
/** Chosen: a month, after which the user signs in again. */
const SESSION_MS = 30 * 86_400_000

/** The result of a user's sign-in at the upstream. */
export type Grant = {
  readonly accessToken: string
  /** Null if the upstream issued none; the session then ends with the access token. */
  readonly refreshToken: string | null
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** The secrets of a new session, shown once to its user. */
export type IssuedSession = { readonly authToken: string; readonly ct0: string; readonly expiresAt: Date }

/** The stored form of a token. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export type NewSession = {
  readonly userId: string
  /** Null for a user of the store. */
  readonly grant: Grant | null
  readonly now: Date
}

/** Creates a session of a user. Its two values are returned here and cannot be recovered later. */
export async function issueSession(
  { state, keys }: { readonly state: State; readonly keys: SessionKeys },
  { userId, grant, now }: NewSession,
): Promise<IssuedSession> {
  const authToken = randomBytes(TOKEN_BYTES).toString('hex')
  const token_hash = hashToken(authToken)
  const ends = now.getTime() + SESSION_MS
  // A grant that cannot be renewed is useless after its end.
  const expires_at = grant && grant.refreshToken === null ? Math.min(ends, grant.expiresAt) : ends
  await state.db
    .insertInto('social_session')
    .values({
      token_hash,
      user_id: userId,
      expires_at,
      renewing_until: null,
      ...toGrantColumns(keys, token_hash, grant),
    })
    .execute()
  return { authToken, ct0: keys.ct0Of(authToken), expiresAt: new Date(expires_at) }
}

/** A grant as stored in a session: readable only with the server's key, and only for this session. */
export function toGrantColumns(
  keys: SessionKeys,
  tokenHash: string,
  grant: Grant | null,
): Pick<SocialSessionTable, 'sealed_grant' | 'grant_expires_at'> {
  if (!grant) return { sealed_grant: null, grant_expires_at: null }
  const text = JSON.stringify([grant.accessToken, grant.refreshToken])
  return { sealed_grant: keys.seal(text, tokenHash), grant_expires_at: grant.expiresAt }
}

/** The grant of a session; null if it was sealed with another key. */
export function openGrant(keys: SessionKeys, row: SocialSessionTable): Grant | null {
  const text = row.sealed_grant === null ? null : keys.open(row.sealed_grant, row.token_hash)
  if (text === null) return null
  // Written by toGrantColumns; the tag proves its authenticity.
  const [accessToken, refreshToken] = JSON.parse(text) as [string, string | null]
  return { accessToken, refreshToken, expiresAt: row.grant_expires_at ?? 0 }
}

/** The session of a token hash; null if it does not exist or has expired. */
export async function findSession(
  state: State,
  tokenHash: string,
  now: Date,
): Promise<SocialSessionTable | null> {
  const row = await state.db
    .selectFrom('social_session')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now.getTime())
    .executeTakeFirst()
  return row ?? null
}

/** Ends the session of a token hash. */
export async function endSession(state: State, tokenHash: string): Promise<void> {
  await state.db.deleteFrom('social_session').where('token_hash', '=', tokenHash).execute()
}

/** Ends all sessions of a user. @returns their number. */
export async function endSessionsOf(state: State, userId: string, now: Date): Promise<number> {
  const ended = await state.db
    .deleteFrom('social_session')
    .where('user_id', '=', userId)
    .returning('expires_at')
    .execute()
  return ended.filter(({ expires_at }) => expires_at > now.getTime()).length
}

/** Deletes expired sessions and sign-ins. */
export async function sweepSessions(state: State, now: Date): Promise<void> {
  for (const table of ['social_session', 'social_login'] as const)
    await state.db.deleteFrom(table).where('expires_at', '<=', now.getTime()).execute()
}
