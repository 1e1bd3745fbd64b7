import { randomBytes } from 'node:crypto'
import type { Address } from '@tollbook/chain/hex'
import { ProblemError } from '@tollbook/http/problem'
import type { Selectable } from 'kysely'
import type { State } from '../state/state.ts'
import type { Tables } from '../state/tables.ts'
import type { Challenge } from './challenge-text.ts'

/** Enough time to carry a text to a cold wallet and back. */
const LIFETIME_MS = 15 * 60_000
const NONCE_BYTES = 16
/** Invalid signatures before a challenge is dropped: each may cost a query to the chain. */
const MAX_FAILURES = 5
/** Accepted texts of a wallet in 24 hours: each is stored permanently. */
const MAX_CHANGES = 20
const DAY_MS = 86_400_000
/** Chosen: 200 MB at most. Beyond it the oldest make room, since anyone may ask for a text of any wallet. */
const MAX_OPEN = 100_000
const MAX_EVICTED = 1_000

export type ChallengeRequest = Pick<
  Challenge,
  'address' | 'action' | 'statement' | 'disclosures' | 'maxPrice'
>

/** Stores a challenge. @throws ProblemError `rate_limited` after too many changes of a claim in 24 hours. */
export async function createChallenge(state: State, wish: ChallengeRequest, now: Date): Promise<Challenge> {
  const changes = await state.db
    .selectFrom('claim')
    .select('made_at')
    .where('address', '=', wish.address)
    .where('made_at', '>', now.getTime() - DAY_MS)
    .orderBy('made_at')
    .limit(MAX_CHANGES)
    .execute()
  const [oldest] = changes
  if (wish.action !== 'alerts' && oldest && changes.length >= MAX_CHANGES) {
    const detail = `A wallet can change its claim ${MAX_CHANGES} times in 24 hours.`
    const retryAfterSeconds = Math.ceil((oldest.made_at + DAY_MS - now.getTime()) / 1000)
    throw new ProblemError({ code: 'rate_limited', detail, retryAfterSeconds })
  }
  await state.db.deleteFrom('claim_challenge').where('expires_at', '<=', now.getTime()).execute()
  const expiresAt = new Date(now.getTime() + LIFETIME_MS)
  const challenge = { ...wish, nonce: randomBytes(NONCE_BYTES).toString('hex'), issuedAt: now, expiresAt }
  const { nonce, address, action, statement } = challenge
  const row = {
    nonce,
    address,
    action,
    statement,
    failures: 0,
    disclosures: JSON.stringify(wish.disclosures),
    max_price: wish.maxPrice === null ? null : Number(wish.maxPrice),
    issued_at: now.getTime(),
    expires_at: expiresAt.getTime(),
  }
  await state.db.insertInto('claim_challenge').values(row).execute()
  await evictOldest(state)
  return challenge
}

async function evictOldest(state: State): Promise<void> {
  const excess = state.db
    .selectFrom('claim_challenge')
    .select('nonce')
    .orderBy('expires_at', 'desc')
    .offset(MAX_OPEN)
    .limit(MAX_EVICTED)
  await state.db.deleteFrom('claim_challenge').where('nonce', 'in', excess).execute()
}

/** A challenge that can still be used; null when it expired, was used, was dropped or never existed. */
export async function findChallenge(state: State, nonce: string, now: Date): Promise<Challenge | null> {
  const row = await state.db
    .selectFrom('claim_challenge')
    .selectAll()
    .where('nonce', '=', nonce)
    .where('expires_at', '>', now.getTime())
    .where('failures', '<', MAX_FAILURES)
    .executeTakeFirst()
  return row ? toChallenge(row) : null
}

export async function noteFailure(state: State, nonce: string): Promise<void> {
  await state.db
    .updateTable('claim_challenge')
    .set(({ eb }) => ({ failures: eb('failures', '+', 1) }))
    .where('nonce', '=', nonce)
    .execute()
}

function toChallenge(row: Selectable<Tables['claim_challenge']>): Challenge {
  return {
    nonce: row.nonce,
    address: row.address as Address,
    action: row.action,
    statement: row.statement,
    // Stored above from validated addresses.
    disclosures: JSON.parse(row.disclosures) as Address[],
    maxPrice: row.max_price === null ? null : BigInt(row.max_price),
    issuedAt: new Date(row.issued_at),
    expiresAt: new Date(row.expires_at),
  }
}
