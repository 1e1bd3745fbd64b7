/** Contracts and constants of Base (eip155:8453) that payments and reports speak of. Addresses are EIP-55. */
export const BASE = {
  chainId: 8453,
  network: 'eip155:8453',
  /** Native USDC, FiatTokenV2_2 behind a proxy; 6 decimals. */
  usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  /** EIP-712 domain of USDC on Base; on Base Sepolia the name is "USDC". */
  usdcName: 'USD Coin',
  usdcVersion: '2',
  permit2: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
  multicall3: '0xcA11bde05977b3631167028862bE2a173976CA11',
  /** coinbase/x402 contracts/evm at dd927a2. */
  exactPermit2Proxy: '0x402085c248EeA27D92E8b30b2C58ed07f9E20001',
  uptoPermit2Proxy: '0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002',
  /** Proxies deployed before the canonical ones; their settlements still count as payments. */
  earlierProxies: [
    '0x4020615294c913F045dc10f0a5cdEbd86c280001',
    '0x4020633461b2895a48930Ff97eE8fCdE8E520002',
  ],
  /** `timestamp = genesisSeconds + 2 * number` on Base mainnet. */
  genesisSeconds: 1_686_789_347,
  blockSeconds: 2,
  /** Seven days of two-second blocks. */
  weekBlocks: 302_400,
} as const
