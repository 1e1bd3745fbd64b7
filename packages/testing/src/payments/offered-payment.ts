import { randomBytes } from 'node:crypto'
import { devFacilitatorAddress, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { type PermitTransfer, toPermitTransferTypedData } from '@tollbook/devchain/contracts/typed-data'
import { readPayment, requestShape } from '@tollbook/facilitator/read-payment'
import { decodePayment, type Offer } from '@tollbook/gate/authorization/decode-payment'
import type { PaymentRequirements } from '@tollbook/gate/contract/terms'
import type { OfferedPayment } from '@tollbook/gate/payment'
import { x402Client } from '@x402/core/client'
import { decodePaymentSignatureHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { UptoEvmScheme } from '@x402/evm/upto/client'
import { createPublicClient, getAddress, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { toTransferTypedData } from '../chain/authorization-typed-data.ts'
import { base } from '../chain/base-chain.ts'

const DOMAIN = { name: BASE.usdcName, version: BASE.usdcVersion } as const

/** Terms of the dev chain's utility service for a price in micro-USDC. */
export function exactTerms(amount: string, further: Partial<PaymentRequirements> = {}): PaymentRequirements {
  return {
    scheme: 'exact',
    network: BASE.id,
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
  const reader = rpcUrl ? createPublicClient({ chain: base, transport: http(rpcUrl) }) : undefined
  const signer = toClientEvmSigner(account, reader)
  const client = new x402Client()
    .register(BASE.id, new ExactEvmScheme(signer))
    .register(BASE.id, new UptoEvmScheme(signer))
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

/** The same for Permit2 and the proxy of `exact`. */
export function permit2Terms(
  amount: string,
  further: Partial<PaymentRequirements> = {},
): PaymentRequirements {
  return { ...exactTerms(amount, further), extra: { ...DOMAIN, assetTransferMethod: 'permit2' } }
}

/** Pays `exact` by Permit2: the SDK signs, and a permit, too, if `rpcUrl` shows that it has no allowance. */
export async function payByPermit2(
  key: Hex,
  terms: PaymentRequirements,
  rpcUrl?: string,
): Promise<OfferedPayment> {
  const offer = { terms: [terms], ...(rpcUrl ? { extensions: GAS_SPONSORING } : {}) }
  return toPermit2Payment(decodePaymentSignatureHeader(await signHeader(key, offer, rpcUrl)), terms)
}

/** The same, signed over fields that the test chooses. */
export async function makeByPermit2(
  key: Hex,
  terms: PaymentRequirements,
  { payer, signature: given, ...chosen }: Partial<PermitTransfer & { payer: Hex; signature: Hex }> = {},
): Promise<OfferedPayment> {
  const account = privateKeyToAccount(key)
  const { message, ...typed } = toPermitTransferTypedData({
    amount: BigInt(terms.amount),
    nonce: BigInt(`0x${randomBytes(32).toString('hex')}`),
    deadline: BigInt(Math.floor(Date.now() / 1000) + terms.maxTimeoutSeconds),
    to: getAddress(terms.payTo),
    facilitator: null,
    validAfter: 0n,
    ...chosen,
  })
  const signature = given ?? (await account.signTypedData({ ...typed, message }))
  const permit2Authorization = JSON.parse(
    JSON.stringify({ from: payer ?? account.address, ...message }, (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    ),
  )
  const payload = { x402Version: 2, accepted: terms, payload: { signature, permit2Authorization } }
  return toPermit2Payment(payload as unknown as PaymentPayload, terms)
}

/** As the facilitator reads it for the terms that were signed. @throws Error if it is refused. */
function toPermit2Payment(payload: PaymentPayload, terms: PaymentRequirements): OfferedPayment {
  const { permit2Authorization } = payload.payload as {
    permit2Authorization: { permitted: { amount: string }; witness: { to: Hex } }
  }
  const { permitted, witness } = permit2Authorization
  const signed = { ...terms, amount: permitted.amount, payTo: witness.to }
  const read = readPayment(requestShape.parse({ paymentPayload: payload, paymentRequirements: signed }), {
    wallets: [],
    network: BASE,
  })
  if ('problem' in read) throw new Error(read.problem.detail)
  return { ...read.payment, payload, terms }
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
