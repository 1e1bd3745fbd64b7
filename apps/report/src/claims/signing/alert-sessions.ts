import { createHash, randomBytes } from 'node:crypto'
import type { Address } from '@tollbook/chain/hex'
import { ProblemError } from '@tollbook/http/problem'
import type { State } from '../../state/state.ts'
import { requireClaim } from '../stored-claims.ts'
import { type ClaimPorts, consumeChallenge, type SignedClaim, verifyChallenge } from './accept-claim.ts'

/** Enough to set up webhooks; a longer session would be a key to keep. */
const LIFETIME_MS = 3_600_000

/** What manages the alerts of a wallet until it expires. */
export type AlertSession = { readonly address: Address; readonly token: string; readonly expiresAt: Date }

/** Opens a session by a signed challenge. @throws as acceptClaim; `not_found` without a claim. */
export async function openAlertSession(
  ports: ClaimPorts,
  signed: SignedClaim,
  signal: AbortSignal,
): Promise<AlertSession> {
  const { address, nonce } = await verifyChallenge(ports, signed, { isClaim: false }, signal)
  await requireClaim(ports.state, address)
  const now = ports.now()
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(now.getTime() + LIFETIME_MS)
  await ports.state.db.transaction().execute(async (transaction) => {
    await consumeChallenge(transaction, { nonce, now })
    await transaction.deleteFrom('alert_session').where('expires_at', '<=', now.getTime()).execute()
    await transaction
      .insertInto('alert_session')
      .values({ token_sha256: digest(token), address, expires_at: expiresAt.getTime() })
      .execute()
  })
  return { address, token, expiresAt }
}

/** The wallet whose session a request presents. @throws ProblemError `credential_refused`. */
export async function readAlertSession(state: State, token: string, now: Date): Promise<Address> {
  const session = await state.db
    .selectFrom('alert_session')
    .select('address')
    .where('token_sha256', '=', digest(token))
    .where('expires_at', '>', now.getTime())
    .executeTakeFirst()
  const detail = 'X-Alert-Token is not a token of POST /claims/session, or has expired.'
  if (!session) throw new ProblemError({ code: 'credential_refused', detail })
  return session.address as Address
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
