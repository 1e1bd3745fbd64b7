import { randomBytes } from 'node:crypto'
import type { Address, Hex } from '@tollbook/chain/hex'
import { createWalletSignatures, type WalletSignatures } from '@tollbook/chain/wallet-signatures'
import type { Exchange } from '../contract/exchange.ts'
import type { PaymentRequirements } from '../contract/terms.ts'
import type { State } from '../state/state.ts'
import {
  isProofFor,
  MAX_PROOF_AGE_MS,
  parseSignIn,
  SIGN_IN_WITH_X,
  type SignInProof,
  toSignedText,
} from './sign-in-with-x.ts'

/** Longer than a proof is valid. */
const REMEMBERED_MS = 15 * 60_000
/** Maximum length of the header, the same as for a payment. */
const MAX_HEADER_CHARACTERS = 16_384

/** Verifies that a caller is the payer, by a wallet's signature that never reaches the chain. */
export interface PayerProof {
  /** Reads `SIGN-IN-WITH-X`; every proof is accepted once. */
  isGiven(call: ProvenCall): Promise<boolean>
  /** What the payer signs: the content of the x402 extension `sign-in-with-x`. */
  challenge(call: ProvenCall): ProofChallenge
}

type ProvenCall = {
  readonly exchange: Exchange
  readonly payment: { readonly payer: Address; readonly terms: Pick<PaymentRequirements, 'network'> }
}

type ProofChallenge = Readonly<Record<string, unknown>>

export function createPayerProof(options: {
  readonly state: State
  readonly clock: () => Date
  /** Verifies with contract wallets (EIP-1271, ERC-6492); if absent, only keys can sign a proof. */
  readonly verifyMessage?: WalletSignatures['isSignedBy'] | undefined
}): PayerProof {
  const { state, clock, verifyMessage = createWalletSignatures().isSignedBy } = options

  async function isFirstUse(nonce: string): Promise<boolean> {
    const result = await state.db
      .insertInto('payment_proof')
      .values({ nonce, expires_at: clock().getTime() + REMEMBERED_MS })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    return result.numInsertedOrUpdatedRows === 1n
  }

  async function isSigned(proof: SignInProof, address: Address): Promise<boolean> {
    const message = toSignedText(proof)
    if (message === null) return false
    try {
      return await verifyMessage({ address, message, signature: proof.signature as Hex })
    } catch {
      // The chain cannot be read, and only it can decide.
      return false
    }
  }

  return {
    isGiven: async (call) => {
      const proof = readProof(call.exchange)
      if (!proof || proof.chainId !== call.payment.terms.network) return false
      const payer = call.payment.payer.toLowerCase() as Address
      if (proof.address.toLowerCase() !== payer || !isMeantForUs(proof, call, clock())) return false
      return (await isSigned(proof, payer)) && (await isFirstUse(`${payer}/${proof.nonce}`))
    },
    challenge: ({ exchange, payment }) =>
      createProofChallenge(exchange.resourceUrl, payment.terms.network, clock()),
  }
}

/** A new challenge, whose nonce is its own. */
export function createProofChallenge(resourceUrl: string, network: string, now: Date): ProofChallenge {
  return {
    info: {
      domain: new URL(resourceUrl).host,
      uri: resourceUrl,
      statement: 'Show that you paid for this answer.',
      version: '1',
      nonce: randomBytes(16).toString('hex'),
      issuedAt: now.toISOString(),
      expirationTime: new Date(now.getTime() + MAX_PROOF_AGE_MS).toISOString(),
    },
    supportedChains: [{ chainId: network, type: 'eip191' }],
    schema: PROOF_SCHEMA,
  }
}

/** Of the proof (specs/extensions/sign-in-with-x.md). */
const PROOF_SCHEMA = {
  type: 'object',
  required: ['domain', 'address', 'uri', 'version', 'chainId', 'type', 'nonce', 'issuedAt', 'signature'],
}

/** The content of the header, not yet verified. */
export function readProof({ request }: Exchange): SignInProof | null {
  const header = request.headers.get(SIGN_IN_WITH_X)
  return header === null || header.length > MAX_HEADER_CHARACTERS ? null : parseSignIn(header)
}

/** A service may be listed under another host as well. */
function isMeantForUs(proof: SignInProof, { exchange }: ProvenCall, now: Date): boolean {
  return [exchange.resourceUrl, exchange.service.baseUrl].some((url) => isProofFor(proof, new URL(url), now))
}
