import { BASE } from '@tollbook/chain/network'
import { Challenge, Credential } from 'mppx'
import { type Hex, keccak256, toBytes } from 'viem'
import { openPayment } from '../paying/shop.ts'
import type { SignOptions } from './sign-payment.ts'

/** How a payment that was signed for version 2 is sent in another protocol. */
export type SigningProtocol = {
  /** What the protocol prescribes for the signature. */
  readonly options: SignOptions
  /** @param payment the value of `PAYMENT-SIGNATURE`. */
  headers(payment: string): Record<string, string>
}

export type ProtocolName = 'x402 version 2' | 'x402 version 1' | 'MPP'

/** @param unpaid the 402 of the call; its body stays unread. */
export function openProtocol(name: ProtocolName, unpaid: Response): SigningProtocol {
  if (name === 'x402 version 2')
    return { options: {}, headers: (payment) => ({ 'payment-signature': payment }) }
  if (name === 'x402 version 1') return { options: {}, headers: toVersionOne }
  const challenge = Challenge.fromResponse(unpaid)
  const validBefore = Math.floor(Date.parse(challenge.expires ?? '') / 1000)
  const options = { nonce: nonceOf(challenge), validAfter: 0, validBefore }
  return { options, headers: (payment) => toCredential(payment, challenge) }
}

export function nonceOf({ id, realm }: Pick<Challenge.Challenge, 'id' | 'realm'>): Hex {
  return keccak256(toBytes(`${id}${realm}`))
}

export function toVersionOne(payment: string): Record<string, string> {
  const { payload } = openPayment(payment)
  const envelope = { x402Version: 1, scheme: 'exact', network: BASE.nameV1, payload }
  return { 'x-payment': Buffer.from(JSON.stringify(envelope)).toString('base64') }
}

/** @param further members of the credential that replace its own. */
export function toCredential(
  payment: string,
  challenge: Challenge.Challenge,
  further: Record<string, unknown> = {},
): Record<string, string> {
  const { signature, authorization } = openPayment(payment).payload
  const payload = { type: 'authorization', ...authorization, signature }
  return { authorization: Credential.serialize({ challenge, payload, ...further } as never) }
}
