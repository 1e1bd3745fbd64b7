import type { Address, Hex } from '../../chain/hex.ts'
import { BASE } from '../../money/base.ts'

/** The contracts whose logs identify payments. */
export type PaymentContracts = {
  readonly usdc: Address
  /** The x402 Permit2 proxies. */
  readonly proxies: ReadonlySet<Address>
}

export const BASE_CONTRACTS: PaymentContracts = Object.freeze({
  usdc: BASE.usdc.toLowerCase() as Address,
  proxies: new Set(
    [BASE.exactPermit2Proxy, BASE.uptoPermit2Proxy, ...BASE.earlierProxies].map(
      (address) => address.toLowerCase() as Address,
    ),
  ),
})

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
} as const satisfies Record<string, Hex>
