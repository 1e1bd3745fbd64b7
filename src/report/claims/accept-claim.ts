import { type Fault, ProblemError } from '../../catalogue/problem.ts'
import { Unreachable } from '../../fetching/failure.ts'
import type { State } from '../../state/state.ts'
import type { Address, Hex } from '../chain/payment.ts'
import { type Challenge, readNonce, renderChallengeText } from './challenge-text.ts'
import { findChallenge, noteFailure } from './challenges.ts'
import type { Claim } from './stored-claims.ts'
import type { WalletSignatures } from './wallet-signatures.ts'

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
  /** What the signer believes to publish; compared with the signed text when given. */
  readonly statement?: string | null | undefined
  /** Without doubles, in order. */
  readonly disclosures?: readonly Address[] | undefined
}

/** When a node that could not be asked is worth another try, seconds. */
const RETRY_SECONDS = 5

/**
 * Takes a signed challenge as its wallet's claim or withdrawal, in place of what stood before. The challenge is
 * used up in the same transaction, and with it every other open challenge of the wallet, so that an older text
 * cannot come after a newer one. A signature that does not hold, or a chain that cannot be asked, leaves it open.
 * @throws ProblemError `challenge_not_open`, `invalid_request`, `signature_invalid`, `unavailable`.
 */
export async function acceptClaim(
  ports: ClaimPorts,
  signed: SignedClaim,
  signal: AbortSignal,
): Promise<Claim> {
  const { state, baseUrl, now } = ports
  const nonce = readNonce(signed.message)
  const challenge = nonce === null ? null : await findChallenge(state, nonce, now())
  // Rendered anew: a text of another domain, chain, wallet, time or content differs in some letter.
  if (!challenge || renderChallengeText(challenge, baseUrl) !== signed.message) throw notOpen()
  const faults = findDifferences(challenge, signed)
  if (faults.length > 0) {
    const detail = 'What was sent is not what the signed text publishes.'
    throw new ProblemError({ code: 'invalid_request', detail, faults })
  }
  if (!(await isSigned(ports, challenge, signed, signal))) {
    await noteFailure(state, challenge.nonce)
    const detail = `This is not a signature of the text by ${challenge.address}.`
    throw new ProblemError({ code: 'signature_invalid', detail })
  }
  return store(ports, challenge, signed)
}

function findDifferences(challenge: Challenge, { statement, disclosures }: SignedClaim): Fault[] {
  const detail = 'is not what the signed text says'
  const isOther = {
    statement: statement !== undefined && statement !== challenge.statement,
    disclosures: disclosures !== undefined && disclosures.join() !== challenge.disclosures.join(),
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
      'The chain cannot be asked about this wallet right now. The text stays open: send it again.'
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
  const { address, action, statement, disclosures } = challenge
  const madeAt = now()
  return state.db.transaction().execute(async (transaction) => {
    // The wallet's row first: it makes transactions of one wallet follow each other.
    const { version } = await transaction
      .insertInto('claim_wallet')
      .values({ address, version: 1 })
      .onConflict((conflict) =>
        conflict.column('address').doUpdateSet(({ eb }) => ({ version: eb('claim_wallet.version', '+', 1) })),
      )
      .returning('version')
      .executeTakeFirstOrThrow()
    const used = await transaction
      .deleteFrom('claim_challenge')
      .where('nonce', '=', challenge.nonce)
      .where('expires_at', '>', madeAt.getTime())
      .executeTakeFirstOrThrow()
    if (used.numDeletedRows !== 1n) throw notOpen()
    await transaction.deleteFrom('claim_challenge').where('address', '=', address).execute()
    const claim = { address, version, action, message, signature, statement }
    const row = { ...claim, disclosures: JSON.stringify(disclosures), made_at: madeAt.getTime() }
    await transaction.insertInto('claim').values(row).execute()
    return { ...claim, disclosures, madeAt }
  })
}

function notOpen(): ProblemError {
  return new ProblemError({
    code: 'challenge_not_open',
    detail:
      'The message is no text that waits to be signed: it was changed, used, has expired or was never given. ' +
      'Ask for a new one and send it letter for letter.',
  })
}
