import assert from 'node:assert/strict'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { BASE } from '@tollbook/chain/network'
import type { SettlementStage } from '@tollbook/testing/payments/settlement-stage'
import { claimBatchTypes, refundTypes } from '@x402/evm'
import {
  buildChannelConfig,
  computeChannelId,
  createBatchSettlementEIP3009DepositPayload,
  InMemoryClientChannelStorage,
  signVoucher,
} from '@x402/evm/batch-settlement/client'
import { type Hex, numberToHex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { TestFacilitator } from '../facilitator/facilitator-stage.ts'

const PAYEE = `0x${'5f'.repeat(20)}` as const
const DOMAIN = {
  name: 'x402 Batch Settlement',
  version: '1',
  chainId: BASE.chainId,
  verifyingContract: CONTRACTS.channelEscrow,
}

type Channel = {
  readonly id: Hex
  readonly config: ReturnType<typeof buildChannelConfig>
  readonly payer: PrivateKeyAccount
}
type Total = { readonly channel: Channel; readonly total: bigint }
type Refund = { readonly channel: Channel; readonly amount: bigint; readonly nonce: number }

/** An attacker who is both sides of its channels, and signs their claims and refunds. */
export function openAttacker(stage: SettlementStage, facilitator: Pick<TestFacilitator, 'post'>) {
  const authorizer = privateKeyToAccount(generatePrivateKey())
  const requirements = {
    scheme: 'batch-settlement',
    network: BASE.id,
    asset: BASE.usdc,
    payTo: PAYEE,
    amount: '1',
    maxTimeoutSeconds: 60,
    extra: {
      name: BASE.usdcName,
      version: BASE.usdcVersion,
      receiverAuthorizer: authorizer.address,
      withdrawDelay: 86_400,
    },
  }

  async function settle(payload: object): Promise<unknown> {
    const paymentPayload = { x402Version: 2, accepted: requirements, payload }
    const body = { x402Version: 2, paymentPayload, paymentRequirements: requirements }
    const { body: answer } = await facilitator.post('/settle', body)
    return answer.success ? 'settled' : answer.errorReason
  }

  async function signClaims(totals: readonly Total[]) {
    const entries = totals.map(({ channel, total }) => ({
      channelId: channel.id,
      maxClaimableAmount: total,
      totalClaimed: total,
    }))
    const claims = totals.map(async ({ channel: { id, config, payer }, total }) => ({
      voucher: { channel: config, maxClaimableAmount: `${total}` },
      signature: (await signVoucher(payer as never, id, `${total}`, BASE.id)).signature,
      totalClaimed: `${total}`,
    }))
    const claimAuthorizerSignature = await authorizer.signTypedData({
      domain: DOMAIN,
      types: claimBatchTypes,
      primaryType: 'ClaimBatch',
      message: { claims: entries },
    })
    return { claims: await Promise.all(claims), claimAuthorizerSignature }
  }

  return {
    authorizer: authorizer.address,
    settle,
    async deposit(count: number, amount: bigint): Promise<readonly Channel[]> {
      const payer = privateKeyToAccount(await stage.newPayer(amount * BigInt(count)))
      const channels: Channel[] = []
      while (channels.length < count) {
        const salt = numberToHex(channels.length, { size: 32 })
        const parts = { signer: payer, payerAuthorizer: payer.address, salt }
        const storage = new InMemoryClientChannelStorage()
        const config = buildChannelConfig({ ...parts, storage } as never, requirements as never)
        const signed = [payer, 2, requirements, config, `${amount}`, '1'] as unknown
        const made = await createBatchSettlementEIP3009DepositPayload(
          ...(signed as Parameters<typeof createBatchSettlementEIP3009DepositPayload>),
        )
        assert.equal(await settle(made.payload), 'settled')
        channels.push({ id: computeChannelId(config, BASE.id), config, payer })
      }
      return channels
    },
    claim: async (totals: readonly Total[]): Promise<unknown> =>
      settle({ type: 'claim', ...(await signClaims(totals)) }),
    /** The payload of a refund. @param total what is claimed with it, default nothing */
    async signRefund({ channel, amount, nonce }: Refund, total = 0n): Promise<Record<string, unknown>> {
      const { id, config, payer } = channel
      const refundAuthorizerSignature = await authorizer.signTypedData({
        domain: DOMAIN,
        types: refundTypes,
        primaryType: 'Refund',
        message: { channelId: id, nonce: BigInt(nonce), amount },
      })
      return {
        type: 'refund',
        channelConfig: config,
        voucher: await signVoucher(payer as never, id, `${total}`, BASE.id),
        amount: `${amount}`,
        refundNonce: `${nonce}`,
        claims: [],
        refundAuthorizerSignature,
        ...(total > 0n && (await signClaims([{ channel, total }]))),
      }
    },
  }
}
