import assert from 'node:assert/strict'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { devFacilitatorKey } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toClientEvmSigner, toFacilitatorEvmSigner } from '@x402/evm'
import {
  buildChannelConfig,
  computeChannelId,
  createBatchSettlementEIP3009DepositPayload,
  InMemoryClientChannelStorage,
  signVoucher,
} from '@x402/evm/batch-settlement/client'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/facilitator'
import { createPublicClient, createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from '../chain/base-chain.ts'
import { devChannelEscrowAbi } from '../chain/dev-abis.ts'

type Hex = `0x${string}`
/** Claims name their receivers themselves. */
const NOBODY = `0x${'0b'.repeat(20)}` as const

export type Channel = {
  readonly id: Hex
  readonly payer: Hex
  readonly config: ReturnType<typeof buildChannelConfig>
  readonly requirements: PaymentRequirements
  /** A claim up to this sum of the channel's life, signed by the payer. */
  voucher(total: bigint): Promise<Claim>
}
type Claim = {
  readonly voucher: { readonly channel: Channel['config']; readonly maxClaimableAmount: string }
  readonly signature: Hex
  readonly totalClaimed: string
}

/** Uses the payment channels of a dev chain as the SDK does. */
export function useChannels(chain: DevChain) {
  const transport = http(chain.rpcUrl)
  const account = privateKeyToAccount(devFacilitatorKey)
  const toReader = () => createPublicClient({ chain: base, transport })
  const wallet = createWalletClient({ account, chain: base, transport, pollingInterval: 20 }).extend(
    publicActions,
  )
  // The SDK types its arguments more loosely than viem does.
  type Signer = Parameters<typeof toFacilitatorEvmSigner>[0]
  const signer = toFacilitatorEvmSigner({ ...wallet, address: account.address } as Signer)
  const facilitator = new BatchSettlementEvmScheme(signer, account as never)

  async function openChannel(of: {
    readonly key: Hex
    readonly receiver: Hex
    readonly deposit: bigint
  }): Promise<Channel> {
    const signer = toClientEvmSigner(privateKeyToAccount(of.key), toReader())
    const requirements = toRequirements(of.receiver)
    const deps = {
      signer,
      storage: new InMemoryClientChannelStorage(),
      salt: `0x${'07'.repeat(32)}` as const,
    }
    const config = buildChannelConfig(deps, requirements)
    const id = computeChannelId(config, BASE.id)
    const made = await createBatchSettlementEIP3009DepositPayload(
      signer,
      2,
      requirements,
      config,
      of.deposit.toString(),
      '1000',
    )
    await settle(made.payload, requirements)
    return {
      id,
      payer: signer.address.toLowerCase() as Hex,
      config,
      requirements,
      async voucher(total) {
        const { signature, maxClaimableAmount } = await signVoucher(signer, id, total.toString(), BASE.id)
        return { voucher: { channel: config, maxClaimableAmount }, signature, totalClaimed: total.toString() }
      },
    }
  }

  /** @returns the hash of the transaction. */
  async function claim(claims: readonly Claim[]): Promise<Hex> {
    return settle({ type: 'claim', claims })
  }

  async function refund(channel: Channel, amount: bigint): Promise<void> {
    const last = await channel.voucher(await claimedOf(channel.id))
    await settle(
      {
        type: 'refund',
        channelConfig: channel.config,
        voucher: { channelId: channel.id, maxClaimableAmount: last.totalClaimed, signature: last.signature },
        amount: amount.toString(),
        refundNonce: '0',
        claims: [],
      },
      channel.requirements,
    )
  }

  async function settle(
    payload: Record<string, unknown>,
    requirements = toRequirements(NOBODY),
  ): Promise<Hex> {
    const envelope: PaymentPayload = { x402Version: 2, accepted: requirements, payload }
    const settled = await facilitator.settle(envelope, requirements)
    assert.deepEqual(
      [settled.success, settled.errorReason, settled.errorMessage],
      [true, undefined, undefined],
    )
    return settled.transaction as Hex
  }

  function toRequirements(payTo: Hex): PaymentRequirements {
    return {
      scheme: 'batch-settlement',
      network: BASE.id,
      amount: '1000',
      asset: BASE.usdc,
      payTo,
      maxTimeoutSeconds: 600,
      extra: {
        name: BASE.usdcName,
        version: BASE.usdcVersion,
        receiverAuthorizer: account.address,
        withdrawDelay: 900,
      },
    }
  }

  async function claimedBy(receiver: Hex): Promise<bigint> {
    const args = [receiver, BASE.usdc] as const
    const [claimed] = await toReader().readContract({
      address: CONTRACTS.channelEscrow,
      abi: devChannelEscrowAbi,
      functionName: 'receivers',
      args,
    })
    return claimed
  }

  async function claimedOf(id: Hex): Promise<bigint> {
    const read = {
      address: CONTRACTS.channelEscrow,
      abi: devChannelEscrowAbi,
      functionName: 'channels',
      args: [id],
    } as const
    const [, claimed] = await toReader().readContract(read)
    return claimed
  }

  return { openChannel, claim, refund, settle, claimedBy, claimedOf, toReader }
}
