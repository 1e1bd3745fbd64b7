import { CONTRACTS } from '@tollbook/chain/contracts'
import type { Address, Hex } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import { TOPIC } from '@tollbook/chain/topics'

export type PaymentContracts = {
  readonly chainId: number
  readonly usdc: Address
  /** The x402 Permit2 proxies. */
  readonly proxies: ReadonlySet<Address>
  /** Escrow of payment channels (scheme `batch-settlement`). */
  readonly channelEscrow: Address
  /** Escrows of authorize-and-capture payments. */
  readonly captureEscrows: ReadonlySet<Address>
  /** The escrows and the contracts that collect deposits for them: what they receive is refundable, no revenue. */
  readonly custodians: ReadonlySet<Address>
}

const [CHANNEL_ESCROW] = toAddresses([CONTRACTS.channelEscrow]) as [Address]
const CAPTURE_ESCROWS = toAddresses(CONTRACTS.captureEscrows)

export const BASE_CONTRACTS: PaymentContracts = Object.freeze({
  chainId: BASE.chainId,
  usdc: BASE.usdc.toLowerCase() as Address,
  proxies: new Set(
    toAddresses([CONTRACTS.exactPermit2Proxy, CONTRACTS.uptoPermit2Proxy, ...CONTRACTS.earlierProxies]),
  ),
  channelEscrow: CHANNEL_ESCROW,
  captureEscrows: new Set(CAPTURE_ESCROWS),
  custodians: new Set([
    CHANNEL_ESCROW,
    ...CAPTURE_ESCROWS,
    ...toAddresses([...CONTRACTS.channelCollectors, ...CONTRACTS.captureCollectors]),
  ]),
})

function toAddresses(addresses: readonly string[]): readonly Address[] {
  return addresses.map((address) => address.toLowerCase() as Address)
}

/** Events that announce payments, each with the contracts that emit it. */
export type Announcing = ReadonlyMap<Hex, ReadonlySet<Address>>

export function announcingEvents(contracts: PaymentContracts): Announcing {
  return new Map<Hex, ReadonlySet<Address>>([
    [TOPIC.authorizationUsed, new Set([contracts.usdc])],
    [TOPIC.settled, contracts.proxies],
    [TOPIC.settledWithPermit, contracts.proxies],
    ...escrowEvents(contracts),
  ])
}

export function escrowEvents({ channelEscrow, captureEscrows }: PaymentContracts): Announcing {
  return new Map<Hex, ReadonlySet<Address>>([
    [TOPIC.claimed, new Set([channelEscrow])],
    [TOPIC.captured, captureEscrows],
    [TOPIC.charged, captureEscrows],
  ])
}
