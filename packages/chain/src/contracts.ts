/**
 * Contracts that have one address on every chain, by deterministic deployment; the x402 SDKs contain the same constants.
 * Not every chain has all of them, so `tollbook check` reads their code. Base and Base Sepolia have Permit2 and
 * Multicall3 (docs.base.org/chain/contracts) and the `exact` proxy; for Base Sepolia, contracts/evm/README.md of
 * x402-foundation/x402 lists an earlier `upto` proxy only. Addresses are EIP-55.
 */
export const CONTRACTS = {
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
  /** Escrow of payment channels, scheme `batch-settlement`: x402-foundation/x402 contracts/evm at 3d73f63. */
  channelEscrow: '0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003',
  /** Collectors of its deposits, by ERC-3009 and by Permit2. */
  channelCollectors: [
    '0x4020806089470a89826cB9fB1f4059150b550004',
    '0x4020425FAf3B746C082C2f942b4E5159887B0005',
  ],
  /** Escrows of authorize-and-capture payments, versions 1.0 and 1.1, as in `@x402/evm` 2.27.0. */
  captureEscrows: [
    '0xBdEA0D1bcC5966192B070Fdf62aB4EF5b4420cff',
    '0xf96815976523E00e65Be8f34cA5e64b4f41EB19c',
  ],
  /** Collectors of their authorizations, by ERC-3009 and by Permit2, and of their refunds. */
  captureCollectors: [
    '0x0E3dF9510de65469C4518D7843919c0b8C7A7757',
    '0x992476B9Ee81d52a5BdA0622C333938D0Af0aB26',
    '0x934907bffd0901b6A21e398B9C53A4A38F02fa5d',
    '0x8612dfdc421f80336cd14E8EF9cb1E765dB5ab88',
    '0xD69831Aed5bfe262067ec4c751f4F830EcdD446e',
    '0x7a03443724d14798c4AB4622F1DAAcA761Fea486',
  ],
} as const
