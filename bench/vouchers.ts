import { hashChannel, hashChannelDomain, hashVoucher, toDigest } from '@tollbook/chain/digests'
import type { Address } from '@tollbook/chain/hex'
import { createKeySigner } from '@tollbook/chain/key-signer'
import { BASE } from '@tollbook/chain/network'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme, InMemoryClientChannelStorage } from '@x402/evm/batch-settlement/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, http, serializeSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { toRequest } from './load.ts'
import { QUERY, ROUTE } from './servers/route.ts'

const CHAIN_ID = 8453
const DOMAIN = hashChannelDomain(CHAIN_ID)
/** More than a benchmark charges to one channel, in micro-USDC. */
const DEPOSIT = 10_000_000n

/**
 * Opens a channel for each key by the SDK's client, with one paid call.
 * @returns what signs requests that pay with the next vouchers of these channels, in turn
 */
export async function openVoucherPayers(
  seller: { readonly url: string; readonly rpcUrl: string; readonly paymentRequired: PaymentRequired },
  keys: readonly `0x${string}`[],
): Promise<(requests: number) => Promise<readonly Buffer[]>> {
  const { url, rpcUrl, paymentRequired } = seller
  const { resource, accepts, extensions } = paymentRequired
  const accepted = accepts.find(({ scheme }) => scheme === 'batch-settlement')
  if (!accepted) throw new TypeError('the 402 offers no channel')
  const reader = createPublicClient({ transport: http(rpcUrl) })
  const channels: Awaited<ReturnType<typeof openChannel>>[] = []
  // One after the other: a deposit fills a block.
  for (const key of keys) channels.push(await openChannel(key))

  async function openChannel(key: `0x${string}`) {
    const scheme = new BatchSettlementEvmScheme(toClientEvmSigner(privateKeyToAccount(key), reader), {
      storage: new InMemoryClientChannelStorage(),
      depositStrategy: () => DEPOSIT,
    })
    const response = await wrapFetchWithPayment(
      fetch,
      new x402Client().register(BASE.id, scheme),
    )(`${url}${ROUTE}${QUERY}`)
    if (response.status !== 200) throw new Error(`the deposit was answered with ${response.status}`)
    // The SDK types its requirements more loosely than ours.
    const config = scheme.buildChannelConfig(accepted as never)
    const id = hashChannel(
      {
        ...config,
        payer: config.payer.toLowerCase() as Address,
        payerAuthorizer: config.payerAuthorizer.toLowerCase() as Address,
        receiver: config.receiver.toLowerCase() as Address,
        receiverAuthorizer: config.receiverAuthorizer.toLowerCase() as Address,
        token: config.token.toLowerCase() as Address,
      },
      CHAIN_ID,
    )
    return { signer: createKeySigner(key), config, id, sum: BigInt(accepted?.amount ?? 0) }
  }

  const signNext = async (channel: (typeof channels)[number]) => {
    channel.sum += BigInt(accepted.amount)
    const { sum } = channel
    const signed = await channel.signer.sign(toDigest(DOMAIN, hashVoucher(channel.id, sum)))
    const voucher = {
      channelId: channel.id,
      maxClaimableAmount: `${sum}`,
      signature: serializeSignature(signed),
    }
    const payload = { type: 'voucher', channelConfig: channel.config, voucher }
    const payment = { x402Version: 2, payload, resource, accepted, extensions }
    return toRequest(`${ROUTE}${QUERY}`, {
      'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64'),
    })
  }

  return (requests) =>
    Promise.all(
      Array.from({ length: requests }, (_, index) =>
        signNext(channels[index % channels.length] as (typeof channels)[number]),
      ),
    )
}
