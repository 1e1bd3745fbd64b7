import { randomBytes } from 'node:crypto'
import {
  type EVMMessageVerifier,
  parseSIWxHeader,
  type SIWxPayload,
  validateSIWxMessage,
  verifySIWxSignature,
} from '@x402/extensions/sign-in-with-x'
import type { Address } from '../../chain/hex.ts'
import type { Exchange } from '../contract/exchange.ts'
import type { PaymentRequirements } from '../contract/terms.ts'
import type { State } from '../state/state.ts'

/** The x402 extension limits the age of a proof to 5 minutes; its nonce is remembered for longer. */
const REMEMBERED_MS = 15 * 60_000
const EXPIRATION_MS = 5 * 60_000
/** The extension, and the header with its proof. */
export const SIGN_IN_WITH_X = 'sign-in-with-x'
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
  readonly verifyMessage?: EVMMessageVerifier | undefined
}): PayerProof {
  const { state, clock, verifyMessage } = options

  async function isFirstUse(nonce: string): Promise<boolean> {
    const result = await state.db
      .insertInto('payment_proof')
      .values({ nonce, expires_at: clock().getTime() + REMEMBERED_MS })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    return result.numInsertedOrUpdatedRows === 1n
  }

  return {
    isGiven: async (call) => {
      const proof = readProof(call.exchange)
      if (!proof || proof.chainId !== call.payment.terms.network) return false
      if (proof.address.toLowerCase() !== call.payment.payer.toLowerCase()) return false
      if (!(await isMeantForUs(proof, call))) return false
      const verified = await verifySIWxSignature(proof, verifyMessage && { evmVerifier: verifyMessage })
      return verified.isValid && (await isFirstUse(`${proof.address.toLowerCase()}/${proof.nonce}`))
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
      expirationTime: new Date(now.getTime() + EXPIRATION_MS).toISOString(),
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
export function readProof({ request }: Exchange): SIWxPayload | null {
  const header = request.headers.get(SIGN_IN_WITH_X)
  if (header === null || header.length > MAX_HEADER_CHARACTERS) return null
  try {
    return parseSIWxHeader(header)
  } catch {
    return null
  }
}

/** A service may be listed under another host as well. */
async function isMeantForUs(proof: SIWxPayload, { exchange }: ProvenCall): Promise<boolean> {
  for (const url of new Set([exchange.resourceUrl, exchange.service.baseUrl])) {
    if ((await validateSIWxMessage(proof, new URL(url))).isValid) return true
  }
  return false
}
