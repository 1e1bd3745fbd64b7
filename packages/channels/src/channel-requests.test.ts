import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChannelConfig } from '@tollbook/chain/digests'
import { BASE } from '@tollbook/chain/network'
import type { TypedDataSigner } from '@tollbook/gate/x402-messages'
import { CHANNEL_CONFIG } from '@tollbook/testing/payments/channel-config'
import { fc } from '@tollbook/testing/property'
import type { FacilitatorClient } from '@x402/core/server'
import { computeChannelId } from '@x402/evm/batch-settlement/client'
import {
  BatchSettlementEvmScheme,
  type Channel,
  InMemoryChannelStorage,
} from '@x402/evm/batch-settlement/server'
import { privateKeyToAccount } from 'viem/accounts'
import { consentToRefund, requestClaim, requestPayout, type VoucherClaim } from './channel-requests.ts'

const account = privateKeyToAccount(`0x${'01'.repeat(32)}`)
const authorizer: TypedDataSigner = {
  address: account.address,
  signTypedData: (typed) => account.signTypedData(typed as Parameters<typeof account.signTypedData>[0]),
}
const receiver = CHANNEL_CONFIG.receiver

const bytes = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((data) => `0x${Buffer.from(data).toString('hex')}` as const)
const channel = fc
  .record({
    payer: bytes(20),
    salt: bytes(32),
    withdrawDelay: fc.integer({ min: 900, max: 2_592_000 }),
    charged: fc.integer({ min: 1, max: 1_000_000_000 }),
    left: fc.integer({ min: 1, max: 1_000_000_000 }),
    refundNonce: fc.nat(1_000),
    signature: bytes(65),
  })
  .map(({ payer, salt, withdrawDelay, charged, left, refundNonce, signature }): Channel => {
    const channelConfig: ChannelConfig = {
      ...CHANNEL_CONFIG,
      payer,
      payerAuthorizer: payer,
      salt,
      withdrawDelay,
    }
    return {
      channelId: computeChannelId(channelConfig, BASE.id),
      channelConfig,
      chargedCumulativeAmount: `${charged}`,
      signedMaxClaimable: `${charged}`,
      signature,
      balance: `${charged + left}`,
      totalClaimed: '0',
      withdrawRequestedAt: 0,
      refundNonce,
      lastRequestTimestamp: 0,
    }
  })

const toClaim = (one: Channel): VoucherClaim => ({
  voucher: { channel: one.channelConfig as ChannelConfig, maxClaimableAmount: one.signedMaxClaimable },
  signature: one.signature,
  totalClaimed: one.chargedCumulativeAmount,
})

/** The server of the package, with channels in its own storage. */
async function openTheirs(channels: readonly Channel[]) {
  const storage = new InMemoryChannelStorage()
  for (const one of channels) await storage.updateChannel(one.channelId, () => one)
  const scheme = new BatchSettlementEvmScheme(receiver, { storage, receiverAuthorizerSigner: account })
  const sent: unknown[] = []
  const settle: FacilitatorClient['settle'] = async (...request) => {
    sent.push(request)
    return { success: true, transaction: '0x', network: BASE.id }
  }
  const manager = scheme.createChannelManager({ settle } as FacilitatorClient, BASE.id, BASE.usdc)
  return { scheme, manager, sent }
}

test("claims are requested, and signed, as by the package's server", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(channel, { minLength: 1, maxLength: 4, selector: ({ channelId }) => channelId }),
      async (channels) => {
        const { manager, sent } = await openTheirs(channels)
        await manager.claim()
        // The order of claims is that of the storage.
        const [[{ payload }]] = sent as [[{ payload: { claims: VoucherClaim[] } }]]
        const claims = payload.claims.map(({ signature }) => {
          const one = channels.find((each) => each.signature === signature)
          assert.ok(one)
          return toClaim(one)
        })
        assert.deepEqual(await requestClaim(authorizer, { receiver, network: BASE }, claims), sent[0])
      },
    ),
    { numRuns: 20 },
  )
})

test("a payout is requested as by the package's server", async () => {
  const { manager, sent } = await openTheirs([])
  await manager.settle()
  assert.deepEqual(requestPayout(receiver, BASE), sent[0])
})

test("the consent to a refund is the one of the package's server, for all that is left and for a part", async () => {
  await fc.assert(
    fc.asyncProperty(channel, fc.option(fc.integer({ min: 1, max: 1_000 })), async (one, part) => {
      const left = `${Number(one.balance) - Number(one.chargedCumulativeAmount)}`
      const pending = {
        ...one,
        pendingRequest: { pendingId: 'id', signedMaxClaimable: one.signedMaxClaimable, expiresAt: 9 },
      }
      const { scheme } = await openTheirs([pending])
      const requested = {
        type: 'refund',
        channelConfig: one.channelConfig,
        voucher: {
          channelId: one.channelId,
          maxClaimableAmount: one.chargedCumulativeAmount,
          signature: one.signature,
        },
        ...(part !== null && { amount: `${part}` }),
      }
      const requirements = { network: BASE.id }
      const paymentPayload = { x402Version: 2, accepted: requirements, payload: requested } as never
      scheme.mergeRequestContext(paymentPayload, { channelId: one.channelId, pendingId: 'id' })
      const added = await scheme.enrichSettlementPayload({ paymentPayload, requirements } as never)
      const amount = part === null ? left : `${part}`
      const own = await consentToRefund(authorizer, BASE, {
        claim: toClaim(one),
        amount,
        nonce: one.refundNonce,
      })
      assert.deepEqual({ ...requested, ...own }, { ...requested, ...added })
    }),
    { numRuns: 20 },
  )
})
