import type { Address, Hex } from '../../chain/hex.ts'
import { BASE } from '../../money/base.ts'

/** The contracts whose logs identify payments. */
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

const [CHANNEL_ESCROW] = toAddresses([BASE.channelEscrow]) as [Address]
const CAPTURE_ESCROWS = toAddresses(BASE.captureEscrows)

export const BASE_CONTRACTS: PaymentContracts = Object.freeze({
  chainId: BASE.chainId,
  usdc: BASE.usdc.toLowerCase() as Address,
  proxies: new Set(toAddresses([BASE.exactPermit2Proxy, BASE.uptoPermit2Proxy, ...BASE.earlierProxies])),
  channelEscrow: CHANNEL_ESCROW,
  captureEscrows: new Set(CAPTURE_ESCROWS),
  custodians: new Set([
    CHANNEL_ESCROW,
    ...CAPTURE_ESCROWS,
    ...toAddresses([...BASE.channelCollectors, ...BASE.captureCollectors]),
  ]),
})

function toAddresses(addresses: readonly string[]): readonly Address[] {
  return addresses.map((address) => address.toLowerCase() as Address)
}

/** First topics of these logs: Keccak-256 of the event signature. */
export const TOPIC = {
  /** `AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)`, EIP-3009. */
  authorizationUsed: '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5',
  /** `Transfer(address indexed from, address indexed to, uint256 value)`, ERC-20. */
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  /** `Settled()` of the proxies. */
  settled: '0x97088ec3606cfe8cc112180570d03fcde05f9b8e1bfef8e27784eaf5dd5691b6',
  /** `SettledWithPermit()` of the proxies. */
  settledWithPermit: '0xde5b89d10fc800c459329c382fabfcad0be0ed7e5328e01fae04e507b09ef5d8',
  /** `Claimed(bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed)`. */
  claimed: '0x36bd546bb573e8921fdbfd934bbed62d872796b01792cd240cce27f79dd3eddd',
  /** `PaymentCaptured(bytes32 indexed paymentInfoHash, uint256 amount, uint16 feeBps, address feeReceiver)`. */
  captured: '0xe749f7bbd01b49bb05abf26ca492cb4dfdea6bedeada8a40fdccd478c73a74e2',
  /** `PaymentCharged`, which authorizes and captures at once: hash, PaymentInfo, amount, collector, fee. */
  charged: '0x943ae4341dd799d7aeedc501f616cd26b134639e0bc2ec059581ba3ebbf1e7d0',
} as const satisfies Record<string, Hex>

/** Events that announce payments, each with the contracts that emit it. */
export type Announcing = ReadonlyMap<Hex, ReadonlySet<Address>>

/** Every event that announces a payment. */
export function announcingEvents(contracts: PaymentContracts): Announcing {
  return new Map<Hex, ReadonlySet<Address>>([
    [TOPIC.authorizationUsed, new Set([contracts.usdc])],
    [TOPIC.settled, contracts.proxies],
    [TOPIC.settledWithPermit, contracts.proxies],
    ...escrowEvents(contracts),
  ])
}

/** The events by which escrows pay out. */
export function escrowEvents({ channelEscrow, captureEscrows }: PaymentContracts): Announcing {
  return new Map<Hex, ReadonlySet<Address>>([
    [TOPIC.claimed, new Set([channelEscrow])],
    [TOPIC.captured, captureEscrows],
    [TOPIC.charged, captureEscrows],
  ])
}
