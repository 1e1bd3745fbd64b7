import type { Address, Hex } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { WalletSignatures } from '@tollbook/chain/wallet-signatures'
import { Unreachable } from '@tollbook/flow/failure'
import { type Issue, ProblemError } from '@tollbook/http/problem'
import type { Transaction } from 'kysely'
import type { State } from '../../state/state.ts'
import type { Tables } from '../../state/tables.ts'
import { deleteAlerts } from '../alerts/webhooks.ts'
import { type Challenge, readNonce, renderChallengeText } from '../challenge-text.ts'
import { findChallenge, noteFailure } from '../challenges.ts'
import type { Claim } from '../stored-claims.ts'

export type ClaimPorts = {
  readonly state: State
  readonly wallets: WalletSignatures
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string
  readonly now: () => Date
}

export type SignedClaim = {
  readonly message: string
  readonly signature: Hex
  /** What the signer expects to publish; compared with the signed text if present. */
  readonly statement?: string | null | undefined
  /** Without duplicates, in order. */
  readonly disclosures?: readonly Address[] | undefined
  readonly maxPrice?: AtomicUsdc | null | undefined
}

/** When to retry after a node could not be reached, seconds. */
const RETRY_SECONDS = 5

/**
 * Accepts a signed challenge as its wallet's claim or withdrawal. It consumes every open challenge of the
 * wallet, so that an older text cannot follow; it stays open if the signature is invalid or the chain
 * unreachable.
 * @throws ProblemError `challenge_not_open`, `invalid_request`, `signature_invalid`, `unavailable`.
 */
export async function acceptClaim(
  ports: ClaimPorts,
  signed: SignedClaim,
  signal: AbortSignal,
): Promise<Claim> {
  return store(ports, await verifyChallenge(ports, signed, { isClaim: true }, signal), signed)
}

/** The challenge that a wallet signed, for a claim or for alerts; stays open. @throws as acceptClaim. */
export async function verifyChallenge(
  ports: ClaimPorts,
  signed: SignedClaim,
  { isClaim }: { readonly isClaim: boolean },
  signal: AbortSignal,
): Promise<Challenge> {
  const { state, baseUrl, now } = ports
  const nonce = readNonce(signed.message)
  const challenge = nonce === null ? null : await findChallenge(state, nonce, now())
  // Rendered again and compared: a text for another domain, chain, wallet, time or content differs.
  if (!challenge || renderChallengeText(challenge, baseUrl) !== signed.message) throw notOpen()
  if ((challenge.action !== 'alerts') !== isClaim) throw notOpen()
  const issues = findDifferences(challenge, signed)
  if (issues.length > 0) {
    const detail = 'The request differs from what the signed text publishes.'
    throw new ProblemError({ code: 'invalid_request', detail, issues })
  }
  if (!(await isSigned(ports, challenge, signed, signal))) {
    await noteFailure(state, challenge.nonce)
    const detail = `The text is not signed by ${challenge.address}.`
    throw new ProblemError({ code: 'signature_invalid', detail })
  }
  return challenge
}

/** Uses a challenge up. @throws ProblemError `challenge_not_open` if it was used, or has expired. */
export async function consumeChallenge(
  transaction: Transaction<Tables>,
  { nonce, now }: { readonly nonce: string; readonly now: Date },
): Promise<void> {
  const used = await transaction
    .deleteFrom('claim_challenge')
    .where('nonce', '=', nonce)
    .where('expires_at', '>', now.getTime())
    .executeTakeFirstOrThrow()
  if (used.numDeletedRows !== 1n) throw notOpen()
}

function findDifferences(challenge: Challenge, { statement, disclosures, maxPrice }: SignedClaim): Issue[] {
  const detail = 'differs from the signed text'
  const isOther = {
    statement: statement !== undefined && statement !== challenge.statement,
    disclosures: disclosures !== undefined && disclosures.join() !== challenge.disclosures.join(),
    max_price_usd: maxPrice !== undefined && maxPrice !== challenge.maxPrice,
  }
  return Object.entries(isOther).flatMap(([parameter, differs]) => (differs ? [{ parameter, detail }] : []))
}

async function isSigned(
  { wallets }: ClaimPorts,
  { address }: Challenge,
  { message, signature }: SignedClaim,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await wallets.isSignedBy({ address, message, signature }, signal)
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    const detail =
      'The chain cannot be queried about this wallet right now. The text stays open: send it again.'
    throw new ProblemError(
      { code: 'unavailable', detail, retryAfterSeconds: RETRY_SECONDS },
      { cause: error },
    )
  }
}

async function store(
  { state, now }: ClaimPorts,
  challenge: Challenge,
  { message, signature }: SignedClaim,
): Promise<Claim> {
  const { address, statement, disclosures, maxPrice } = challenge
  const action: Claim['action'] = challenge.action === 'withdraw' ? 'withdraw' : 'claim'
  const madeAt = now()
  return state.db.transaction().execute(async (transaction) => {
    // Written first: the wallet's row serialises transactions of one wallet.
    const { version } = await transaction
      .insertInto('claim_wallet')
      .values({ address, version: 1 })
      .onConflict((conflict) =>
        conflict.column('address').doUpdateSet(({ eb }) => ({ version: eb('claim_wallet.version', '+', 1) })),
      )
      .returning('version')
      .executeTakeFirstOrThrow()
    await consumeChallenge(transaction, { nonce: challenge.nonce, now: madeAt })
    if (action === 'withdraw') await deleteAlerts(transaction, address)
    await transaction.deleteFrom('claim_challenge').where('address', '=', address).execute()
    const claim = { address, version, action, message, signature, statement }
    const row = {
      ...claim,
      disclosures: JSON.stringify(disclosures),
      max_price: maxPrice === null ? null : Number(maxPrice),
      made_at: madeAt.getTime(),
    }
    await transaction.insertInto('claim').values(row).execute()
    return { ...claim, disclosures, maxPrice, madeAt }
  })
}

function notOpen(): ProblemError {
  return new ProblemError({
    code: 'challenge_not_open',
    detail:
      'The message is not a text that is waiting to be signed: it was changed or used, has expired or was never issued. ' +
      'Request a new one and send it unchanged.',
  })
}
