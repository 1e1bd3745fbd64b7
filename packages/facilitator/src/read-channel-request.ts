import { hashChannel } from '@tollbook/chain/digests'
import type { Address, Hex } from '@tollbook/chain/hex'
import type { Network } from '@tollbook/chain/network'
import { address, signature, uint256 } from '@tollbook/gate/authorization/payload'
import { amount, channelConfig, channelPayloads, NO_ADDRESS } from '@tollbook/gate/authorization/read-channel'
import { issueOf, refused } from '@tollbook/gate/authorization/refusal'
import type { Problem } from '@tollbook/http/problem'
import * as z from 'zod'
import { malformed, type PaymentRequest } from './read-payment.ts'

/** As many as the SDK's channel manager sends together. */
const MAX_CLAIMS = 100
const { voucher, refund, deposit } = channelPayloads
const claims = z
  .array(
    z.strictObject({
      voucher: z.strictObject({ channel: channelConfig, maxClaimableAmount: amount }),
      signature,
      totalClaimed: amount,
    }),
  )
  .max(MAX_CLAIMS)

const sellersRefund = refund.extend({
  amount: refund.shape.amount.unwrap(),
  refundNonce: uint256,
  // Of its own channel.
  claims: claims.max(1),
  refundAuthorizerSignature: signature.optional(),
  claimAuthorizerSignature: signature.optional(),
})

/** What sellers send: a client's payload, a refund with its claims and signatures, claims, or a payout. */
const payloadShape = z.union([
  z.discriminatedUnion('type', [
    voucher,
    refund,
    deposit,
    z.strictObject({
      type: z.literal('claim'),
      claims: claims.min(1),
      claimAuthorizerSignature: signature.optional(),
    }),
    z.strictObject({ type: z.literal('settle'), receiver: address, token: address }),
  ]),
  sellersRefund,
])

/** A request about payment channels of one payee. */
export type ChannelRequest = {
  readonly kind: 'voucher' | 'refund' | 'deposit' | 'claim' | 'settle'
  readonly payTo: Address
  /** Of the one channel; the payee if there are several. */
  readonly payer: Address
  readonly parties: readonly Address[]
  readonly channel: `0x${string}` | null
  /** Micro-USDC of a deposit. */
  readonly deposit: bigint | null
  /** What each channel has paid in all after a claim, or the claim of a refund, micro-USDC. */
  readonly claims: readonly { readonly channel: Hex; readonly total: bigint }[]
  /** A seller's refund: at most this amount of micro-USDC. */
  readonly refund: { readonly nonce: bigint; readonly amount: bigint; readonly signature: Hex | null } | null
  /** Who signs for the payee. */
  readonly authorizer: Address | null
  /** As it was read: equal for equal content. */
  readonly payload: unknown
}

/** Reads a request of the scheme `batch-settlement`. Pure: signatures and chain are not checked. */
export function readChannelRequest(
  { paymentPayload, paymentRequirements }: PaymentRequest,
  network: Network,
): ChannelRequest | { readonly problem: Problem } {
  const envelope = z
    .looseObject({
      accepted: z.looseObject({ scheme: z.literal('batch-settlement'), network: z.string() }),
      payload: payloadShape,
    })
    .safeParse(paymentPayload)
  if (!envelope.success) return malformed(issueOf(envelope.error))
  const { accepted, payload } = envelope.data
  const { payTo: payee, extra } = paymentRequirements
  if (!address.safeParse(payee).success) return malformed('paymentRequirements.payTo is not an address')
  if (!address.optional().safeParse(extra?.receiverAuthorizer).success)
    return malformed('paymentRequirements.extra.receiverAuthorizer is not an address')
  if (paymentPayload.x402Version !== 2)
    return { problem: refused('channels need version 2', 'invalid_x402_version') }
  if (accepted.network !== paymentRequirements.network || accepted.network !== network.id)
    return { problem: refused(`the network is not ${network.title}`, 'invalid_network') }
  const payTo = payee.toLowerCase() as Address
  const claimed = 'claims' in payload ? payload.claims : []
  const configs = claimed.map((claim) => claim.voucher.channel)
  if ('channelConfig' in payload) configs.unshift(payload.channelConfig)
  const tokens = [paymentRequirements.asset, ...configs.map(({ token }) => token)]
  if (payload.type === 'settle') tokens.push(payload.token)
  if (tokens.some((token) => token.toLowerCase() !== network.usdc.toLowerCase()))
    return { problem: refused(`the asset is not USDC on ${network.title}`, 'unsupported_asset') }
  const receivers = configs.map(({ receiver }) => receiver)
  if (payload.type === 'settle') receivers.push(payload.receiver)
  if (receivers.some((receiver) => receiver !== payTo))
    return {
      problem: refused('a channel has another payee', 'invalid_batch_settlement_evm_receiver_mismatch'),
    }
  if (configs.some(({ payerAuthorizer }) => payerAuthorizer === NO_ADDRESS))
    return {
      problem: refused(
        'a channel names no key of vouchers',
        'invalid_batch_settlement_evm_voucher_signature',
      ),
    }
  const [first] = configs
  if (configs.some(({ receiverAuthorizer }) => receiverAuthorizer !== first?.receiverAuthorizer))
    return {
      problem: refused(
        'the channels have several authorizers',
        'invalid_batch_settlement_evm_receiver_authorizer_mismatch',
      ),
    }
  const one = 'channelConfig' in payload ? payload : null
  if (one && hashChannel(one.channelConfig, network.chainId) !== one.voucher.channelId)
    return {
      problem: refused('the id is of another channel', 'invalid_batch_settlement_evm_channel_id_mismatch'),
    }
  return {
    kind: payload.type,
    payTo,
    payer: one && first ? first.payer : payTo,
    parties: [payTo, ...configs.map(({ payer }) => payer)],
    channel: one ? one.voucher.channelId : null,
    deposit: payload.type === 'deposit' ? payload.deposit.amount : null,
    claims: claimed.map(({ voucher: { channel }, totalClaimed }) => ({
      channel: hashChannel(channel, network.chainId),
      total: totalClaimed,
    })),
    refund:
      'refundNonce' in payload
        ? {
            nonce: payload.refundNonce,
            amount: payload.amount,
            signature: payload.refundAuthorizerSignature ?? null,
          }
        : null,
    authorizer: first ? first.receiverAuthorizer : null,
    payload,
  }
}
