import type { Hex } from './hex.ts'

/** First topics of logs: Keccak-256 of the signature of the event. */
export const TOPIC = {
  /** `Transfer(address indexed from, address indexed to, uint256 value)`, ERC-20. */
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  /** `AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)`, EIP-3009. */
  authorizationUsed: '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5',
  /** `AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)`, EIP-3009. */
  authorizationCanceled: '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81',
  /** `Settled()` of the x402 Permit2 proxies. */
  settled: '0x97088ec3606cfe8cc112180570d03fcde05f9b8e1bfef8e27784eaf5dd5691b6',
  /** `SettledWithPermit()` of the proxies. */
  settledWithPermit: '0xde5b89d10fc800c459329c382fabfcad0be0ed7e5328e01fae04e507b09ef5d8',
  /** `UnorderedNonceInvalidation(address indexed owner, uint256 word, uint256 mask)` of Permit2. */
  nonceInvalidated: '0x3704902f963766a4e561bbaab6e6cdc1b1dd12f6e9e99648da8843b3f46b918d',
  /** `Claimed(bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed)`. */
  claimed: '0x36bd546bb573e8921fdbfd934bbed62d872796b01792cd240cce27f79dd3eddd',
  /** `ChannelCreated(bytes32 indexed channelId, ChannelConfig config)`. */
  channelCreated: '0x69d8248d5566bdb2ebc4d218970710d8378a2ff9b709a999e052b71970f808fa',
  /** `PaymentCaptured(bytes32 indexed paymentInfoHash, uint256 amount, uint16 feeBps, address feeReceiver)`. */
  captured: '0xe749f7bbd01b49bb05abf26ca492cb4dfdea6bedeada8a40fdccd478c73a74e2',
  /** `PaymentCharged`, which authorizes and captures at once: hash, PaymentInfo, amount, collector, fee. */
  charged: '0x943ae4341dd799d7aeedc501f616cd26b134639e0bc2ec059581ba3ebbf1e7d0',
} as const satisfies Record<string, Hex>
