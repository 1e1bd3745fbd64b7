import { CONTRACTS } from '@tollbook/chain/contracts'
import { type ChannelConfig, hashChannel } from '@tollbook/chain/digests'
import type { Address, Hex } from '@tollbook/chain/hex'
import type { Network } from '@tollbook/chain/network'
import type {
  AnyRequirements,
  PaymentPayload,
  TypedData,
  TypedDataSigner,
} from '@tollbook/gate/x402-messages'

// What a seller has a facilitator do with its channels (x402
// specs/schemes/batch-settlement/scheme_batch_settlement_evm.md), as the server of `@x402/evm` 2.27.0 writes it.

/** A voucher to redeem: `totalClaimed` is what its channel is charged, of the signed maximum. */
export type VoucherClaim = {
  readonly voucher: { readonly channel: ChannelConfig; readonly maxClaimableAmount: string }
  readonly signature: string
  readonly totalClaimed: string
}

/** A request, and the terms that accompany it. */
export type ChannelRequest = readonly [PaymentPayload, AnyRequirements]

/** Redeems vouchers of channels of one receiver. */
export async function requestClaim(
  authorizer: TypedDataSigner,
  { receiver, network }: { readonly receiver: Address; readonly network: Network },
  claims: readonly VoucherClaim[],
): Promise<ChannelRequest> {
  const claimAuthorizerSignature = await signClaims(authorizer, claims, network.chainId)
  return toRequest(receiver, network, { type: 'claim', claims, claimAuthorizerSignature })
}

/** Has what was claimed paid out to a receiver. */
export function requestPayout(receiver: Address, network: Network): ChannelRequest {
  return toRequest(receiver, network, { type: 'settle', receiver, token: network.usdc })
}

/**
 * What a seller adds to a payer's refund: its consent, and the claim of what the channel was charged.
 * @param refund amount in micro-USDC, and the nonce of the channel's next refund
 */
export async function consentToRefund(
  authorizer: TypedDataSigner,
  { chainId }: Network,
  { claim, amount, nonce }: { readonly claim: VoucherClaim; readonly amount: string; readonly nonce: number },
): Promise<Readonly<Record<string, unknown>>> {
  const channelId = hashChannel(claim.voucher.channel, chainId)
  const message = { channelId, nonce: BigInt(nonce), amount: BigInt(amount) }
  const refundAuthorizerSignature = await authorizer.signTypedData(
    toTypedData(chainId, { Refund: REFUND }, message),
  )
  const claimAuthorizerSignature = await signClaims(authorizer, [claim], chainId)
  return {
    amount,
    refundNonce: `${nonce}`,
    claims: [claim],
    refundAuthorizerSignature,
    claimAuthorizerSignature,
  }
}

function toRequest(
  receiver: Address,
  { id, usdc }: Network,
  payload: PaymentPayload['payload'],
): ChannelRequest {
  const terms: AnyRequirements = {
    scheme: 'batch-settlement',
    network: id,
    asset: usdc,
    amount: '0',
    payTo: receiver,
    maxTimeoutSeconds: 0,
    extra: {},
  }
  return [{ x402Version: 2, accepted: terms, payload }, terms]
}

function signClaims(
  authorizer: TypedDataSigner,
  claims: readonly VoucherClaim[],
  chainId: number,
): Promise<Hex> {
  const entries = claims.map(({ voucher, totalClaimed }) => ({
    channelId: hashChannel(voucher.channel, chainId),
    maxClaimableAmount: BigInt(voucher.maxClaimableAmount),
    totalClaimed: BigInt(totalClaimed),
  }))
  return authorizer.signTypedData(
    toTypedData(chainId, { ClaimBatch: CLAIM_BATCH, ClaimEntry: CLAIM_ENTRY }, { claims: entries }),
  )
}

/** Typed data of the escrow; the first type is the one that is signed. */
function toTypedData(chainId: number, types: TypedData['types'], message: TypedData['message']): TypedData {
  const [primaryType = ''] = Object.keys(types)
  const domain = {
    name: 'x402 Batch Settlement',
    version: '1',
    chainId,
    verifyingContract: CONTRACTS.channelEscrow,
  }
  return { domain, types, primaryType, message }
}

const REFUND = [
  { name: 'channelId', type: 'bytes32' },
  { name: 'nonce', type: 'uint256' },
  { name: 'amount', type: 'uint128' },
] as const
const CLAIM_BATCH = [{ name: 'claims', type: 'ClaimEntry[]' }] as const
const CLAIM_ENTRY = [
  { name: 'channelId', type: 'bytes32' },
  { name: 'maxClaimableAmount', type: 'uint128' },
  { name: 'totalClaimed', type: 'uint128' },
] as const
