import { BASE } from '@tollbook/chain/network'
import { type Customer, closePayment, type Shop } from '@tollbook/testing/paying/shop'
import {
  buildChannelConfig,
  computeChannelId,
  createBatchSettlementEIP3009DepositPayload,
  InMemoryClientChannelStorage,
  signVoucher,
} from '@x402/evm/batch-settlement/client'
import { type Address, type Hex, zeroHash } from 'viem'

/** A channel, with the key that signs its vouchers. */
export type Channel = {
  readonly id: Hex
  readonly config: ReturnType<typeof buildChannelConfig>
  readonly key: Customer
  readonly accepted: { readonly amount: string; readonly extra: Readonly<Record<string, unknown>> }
  readonly resource: unknown
}

type ChannelOptions = {
  readonly method?: string
  /** Default: the wallet of the key. */
  readonly payer?: Address
  readonly key: Customer
  readonly salt?: Hex
}

/** The channel for the terms of a path, without a deposit. */
export async function openChannel(shop: Shop, path: string, options: ChannelOptions): Promise<Channel> {
  const { method, key, payer = key.address, salt = zeroHash } = options
  const { accepts, resource } = await shop.challenge(path, method)
  const accepted = accepts.find(({ scheme }) => scheme === 'batch-settlement')
  if (!accepted) throw new Error(`${path} is not paid from channels`)
  const storage = new InMemoryClientChannelStorage()
  const parts = { signer: { address: payer }, payerAuthorizer: key.address, salt, storage }
  const config = buildChannelConfig(parts as never, accepted as never)
  return { id: computeChannelId(config, BASE.id), config, key, accepted, resource }
}

/** The value of `PAYMENT-SIGNATURE` for a voucher of this sum, by default one price. */
export async function signChannelPayment(
  { id, config, key, accepted, resource }: Channel,
  max = BigInt(accepted.amount),
  more: object = { type: 'voucher' },
): Promise<string> {
  const voucher = await signVoucher(key as never, id, `${max}`, BASE.id)
  const payload = { ...more, channelConfig: config, voucher }
  return closePayment({ x402Version: 2, resource, accepted, payload })
}

/** The value of `PAYMENT-SIGNATURE` for a voucher of this sum, by default one price, with a new deposit. */
export async function signChannelDeposit(
  { config, key, accepted, resource }: Channel,
  deposit: bigint,
  max = BigInt(accepted.amount),
): Promise<string> {
  const terms = accepted as never
  const sums = [`${deposit}`, `${max}`] as const
  const { payload } = await createBatchSettlementEIP3009DepositPayload(key, 2, terms, config, ...sums)
  return closePayment({ x402Version: 2, resource, accepted, payload })
}
