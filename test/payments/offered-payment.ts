import { randomBytes } from 'node:crypto'
import { x402Client } from '@x402/core/client'
import { encodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentRequired } from '@x402/core/types'
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { UptoEvmScheme } from '@x402/evm/upto/client'
import { createPublicClient, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { PaymentRequirements } from '../../src/catalogue/terms.ts'
import { devFacilitatorAddress, devPayTo } from '../../src/devchain/accounts.ts'
import { BASE } from '../../src/money/base.ts'
import { decodePayment, type Offer } from '../../src/payments/authorization/decode-payment.ts'
import type { OfferedPayment } from '../../src/payments/payment.ts'
import { toTransferTypedData } from '../chain/authorization-typed-data.ts'
import { base } from '../chain/base-chain.ts'
import { patientHttp } from '../chain/patient-http.ts'

const DOMAIN = { name: BASE.usdcName, version: BASE.usdcVersion } as const

/** Terms of the dev chain's utility service for a price in micro-USDC. */
export function exactTerms(amount: string, further: Partial<PaymentRequirements> = {}): PaymentRequirements {
  return {
    scheme: 'exact',
    network: BASE.network,
    amount,
    asset: BASE.usdc,
    payTo: devPayTo.utility,
    maxTimeoutSeconds: 60,
    extra: DOMAIN,
    ...further,
  }
}

/** The same as a maximum that only the dev chain's facilitator may settle. */
export function uptoTerms(
  maximum: string,
  facilitatorAddress: Hex = devFacilitatorAddress,
): PaymentRequirements {
  return {
    ...exactTerms(maximum),
    scheme: 'upto',
    extra: { ...DOMAIN, assetTransferMethod: 'permit2', facilitatorAddress },
  }
}

/**
 * The extension of an offer about permits; clients that read the chain then sign one if they have no
 * allowance.
 */
export const GAS_SPONSORING = {
  eip2612GasSponsoring: { info: { description: 'gas is paid by the facilitator', version: '1' }, schema: {} },
} as const

/**
 * Has the unmodified x402 SDK pay an offer.
 * @param rpcUrl lets the client read its allowance and permit nonce.
 */
export async function signHeader(key: Hex, offer: Offer, rpcUrl?: string): Promise<string> {
  const account = privateKeyToAccount(key)
  const reader = rpcUrl ? createPublicClient({ chain: base, transport: patientHttp(rpcUrl) }) : undefined
  const signer = toClientEvmSigner(account, reader)
  const client = new x402Client()
    .register(BASE.network, new ExactEvmScheme(signer))
    .register(BASE.network, new UptoEvmScheme(signer))
  const payment = await client.createPaymentPayload({
    x402Version: 2,
    resource: { url: 'https://utility.example/api/qr', description: 'a test', mimeType: 'application/json' },
    accepts: offer.terms,
    extensions: offer.extensions,
  } as unknown as PaymentRequired)
  return encodePaymentSignatureHeader(payment)
}

/** A payment as the gate passes it on. @throws Error if it is refused. */
export function decodeHeader(header: string, offer: Offer): OfferedPayment {
  const decoded = decodePayment(header, offer)
  if ('problem' in decoded) throw new Error(decoded.problem.detail)
  return decoded.payment
}

/** Pays terms by the SDK and decodes the header. */
export async function payTerms(
  key: Hex,
  terms: PaymentRequirements,
  rpcUrl?: string,
): Promise<OfferedPayment> {
  const offer = { terms: [terms], ...(rpcUrl ? { extensions: GAS_SPONSORING } : {}) }
  return decodeHeader(await signHeader(key, offer, rpcUrl), offer)
}

export type SignedFields = { payer: Hex; nonce: Hex; value: bigint; validAfter: number; validBefore: number }

/**
 * An `exact` payment with fields that the test chooses, signed over them by `key` unless a signature is
 * provided.
 */
export async function makeExact(
  key: Hex,
  terms: PaymentRequirements,
  chosen: Partial<SignedFields> & { readonly signature?: Hex } = {},
): Promise<OfferedPayment> {
  const account = privateKeyToAccount(key)
  const from = chosen.payer ?? account.address
  const value = chosen.value ?? BigInt(terms.amount)
  const nonce = chosen.nonce ?? `0x${randomBytes(32).toString('hex')}`
  const validAfter = chosen.validAfter ?? 0
  const validBefore = chosen.validBefore ?? Math.floor(Date.now() / 1000) + terms.maxTimeoutSeconds
  const authorization = {
    from,
    to: terms.payTo,
    value,
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce,
  }
  const signature = chosen.signature ?? (await account.signTypedData(toTransferTypedData(authorization)))
  return {
    scheme: 'exact',
    terms,
    payload: {
      x402Version: 2,
      accepted: terms,
      payload: {
        signature,
        authorization: {
          ...authorization,
          value: `${value}`,
          validAfter: `${validAfter}`,
          validBefore: `${validBefore}`,
        },
      },
    },
    payer: from.toLowerCase() as Hex,
    payTo: terms.payTo.toLowerCase() as Hex,
    signedAmount: value,
    nonce,
    validAfter,
    validBefore,
    signature,
  }
}
