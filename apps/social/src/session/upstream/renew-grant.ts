import { setTimeout as wait } from 'node:timers/promises'
import { ProblemError } from '@tollbook/http/problem'
import type { SocialSessionTable } from '../../state/session-tables.ts'
import type { State } from '../../state/state.ts'
import type { SessionKeys } from '../session-keys.ts'
import { endSession, findSession, type Grant, openGrant, toGrantColumns } from '../session-store.ts'
import { OAUTH_TIMEOUT_MS, type OAuthClient } from './oauth-client.ts'

/** A token that expires within a minute may expire before it is used. */
const EARLY_MS = 60_000
/** Limits how long a process that died while renewing blocks the others. */
const CLAIM_MS = OAUTH_TIMEOUT_MS * 2
const LOOK_AGAIN_MS = 200

export type RenewingOptions = {
  readonly state: State
  readonly keys: SessionKeys
  /** Null if no upstream is configured; grants then last until they expire. */
  readonly oauth: OAuthClient | null
}

/**
 * The grant of a session, renewed if it is about to expire. Most upstreams accept a refresh token once, so
 * only one process renews, and the others wait for the stored result.
 * @returns null if the session has no valid grant; the session is then ended.
 * @throws ProblemError if the upstream does not answer and the current token has expired.
 */
export async function findGrant(
  options: RenewingOptions,
  first: SocialSessionTable,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<Grant | null> {
  const startedMs = performance.now()
  const time = () => new Date(now.getTime() + performance.now() - startedMs)
  for (let row: SocialSessionTable | null = first; row; ) {
    const grant = openGrant(options.keys, row)
    if (!grant) return null
    const leftMs = grant.expiresAt - time().getTime()
    if (leftMs > EARLY_MS) return grant
    if (options.oauth === null || grant.refreshToken === null) return leftMs > 0 ? grant : null
    if (await takeLease(options.state, row, time())) return renew(options, row, grant, leftMs)
    // The current token is valid until the other process is done.
    if (leftMs > 0) return grant
    await wait(LOOK_AGAIN_MS, undefined, { signal })
    row = await findSession(options.state, first.token_hash, time())
  }
  return null
}

async function renew(
  { state, keys, oauth }: RenewingOptions,
  { token_hash }: SocialSessionTable,
  grant: Grant,
  leftMs: number,
): Promise<Grant | null> {
  try {
    const renewed = await oauth?.renew(grant.refreshToken ?? '')
    if (!renewed) return null
    await set(state, token_hash, { ...toGrantColumns(keys, token_hash, renewed), renewing_until: null })
    return renewed
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === 'credential_refused') {
      await endSession(state, token_hash)
      return null
    }
    await set(state, token_hash, { renewing_until: null })
    if (leftMs > 0) return grant
    throw error
  }
}

/** Whether this process has the lease of the renewal. */
async function takeLease(
  state: State,
  { token_hash, grant_expires_at }: SocialSessionTable,
  now: Date,
): Promise<boolean> {
  const leased = await state.db
    .updateTable('social_session')
    .set({ renewing_until: now.getTime() + CLAIM_MS })
    .where('token_hash', '=', token_hash)
    .where('grant_expires_at', '=', grant_expires_at)
    .where((eb) => eb.or([eb('renewing_until', 'is', null), eb('renewing_until', '<=', now.getTime())]))
    .returning('token_hash')
    .executeTakeFirst()
  return leased !== undefined
}

async function set(state: State, tokenHash: string, changes: Partial<SocialSessionTable>): Promise<void> {
  await state.db.updateTable('social_session').set(changes).where('token_hash', '=', tokenHash).execute()
}
