import { hashChannel } from '@tollbook/chain/digests'
import type { Hex } from '@tollbook/chain/hex'
import { keccak } from '@tollbook/chain/keccak'
import { chainIdOf } from '@tollbook/chain/network'
import { encodeWords } from '@tollbook/chain/words'
import * as z from 'zod'
import type { PaymentRequirements } from '../contract/terms.ts'
import type { ChannelPayment, OfferedPayment } from '../payment.ts'
import { address, bytes32, seconds, signature, uint256 } from './payload.ts'
import { issueOf, malformed, type Refusal, refused, type Signed } from './refusal.ts'

export const NO_ADDRESS = `0x${'0'.repeat(40)}`
/** Amounts are stored in columns that are exact up to 2^53. */
export const amount = uint256.refine(
  (value) => value <= BigInt(Number.MAX_SAFE_INTEGER),
  'must be below 2^53',
)

export const channelConfig = z.strictObject({
  payer: address,
  payerAuthorizer: address,
  receiver: address,
  receiverAuthorizer: address,
  token: address,
  withdrawDelay: z
    .int()
    .min(0)
    .max(2 ** 40 - 1),
  salt: bytes32,
})

const shared = {
  channelConfig,
  voucher: z.strictObject({ channelId: bytes32, maxClaimableAmount: amount, signature }),
}

/** The payloads of `batch-settlement` (x402 specs/schemes/batch-settlement/scheme_batch_settlement_evm.md). */
export const channelPayloads = {
  voucher: z.strictObject({ ...shared, type: z.literal('voucher') }),
  refund: z.strictObject({
    ...shared,
    type: z.literal('refund'),
    amount: amount.refine((value) => value > 0n, 'must be above 0').optional(),
  }),
  deposit: z.strictObject({
    ...shared,
    type: z.literal('deposit'),
    deposit: z.strictObject({
      amount,
      authorization: z.strictObject({
        erc3009Authorization: z.strictObject({
          validAfter: seconds,
          validBefore: seconds,
          salt: bytes32,
          signature,
        }),
      }),
    }),
  }),
}
const { voucher, refund, deposit } = channelPayloads
const payloadShape = z.discriminatedUnion('type', [voucher, refund, deposit])

/** A voucher has no lifetime: the gate sets the end of its call. */
type ReadChannel = Signed & Required<Pick<OfferedPayment, 'channel'>>

/** Reads a payload of `batch-settlement` and compares it with its terms. */
export function readChannel(payload: unknown, terms: PaymentRequirements): ReadChannel | Refusal {
  const parsed = payloadShape.safeParse(payload)
  if (!parsed.success) return { refusal: malformed(issueOf(parsed.error), 'invalid_payload') }
  const { channelConfig: config, voucher: signed, type: kind } = parsed.data
  const mismatch = (what: string, detail: string): Refusal => ({
    refusal: refused(detail, `invalid_batch_settlement_evm_${what}`),
  })
  if (config.receiver !== terms.payTo.toLowerCase())
    return mismatch('receiver_mismatch', 'the payee of its channel is not the offered one')
  if (config.receiverAuthorizer !== String(terms.extra.receiverAuthorizer).toLowerCase())
    return mismatch('receiver_authorizer_mismatch', 'the authorizer of its channel is not the offered one')
  if (config.token !== terms.asset.toLowerCase())
    return mismatch('token_mismatch', 'the token of its channel is not the offered one')
  if (config.withdrawDelay !== terms.extra.withdrawDelay)
    return mismatch('withdraw_delay_mismatch', 'the delay of its channel is not the offered one')
  if (config.payerAuthorizer === NO_ADDRESS)
    return mismatch('voucher_signature', 'its channel names no key that signs vouchers')
  if (hashChannel(config, chainIdOf(terms.network)) !== signed.channelId)
    return mismatch('channel_id_mismatch', 'its channel is not the one that its terms describe')
  const { channelId: id, maxClaimableAmount: max } = signed
  const channel: ChannelPayment = { kind, id, config, max: max.toString() }
  const moved =
    'deposit' in parsed.data ? parsed.data.deposit.amount : 'amount' in parsed.data && parsed.data.amount
  const nonce: Hex = `0x${keccak(Buffer.from(encodeWords([id, max]), 'hex')).toString('hex')}`
  return {
    // Not its payer: anyone can deposit into a channel in the name of another wallet, by a collector of their own.
    payer: config.payerAuthorizer,
    payTo: config.receiver,
    signedAmount: BigInt(terms.amount),
    nonce,
    validAfter: 0,
    validBefore: 0,
    signature: signed.signature,
    channel: moved ? { ...channel, amount: moved.toString() } : channel,
  }
}
