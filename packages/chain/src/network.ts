/** A chain on which payments are made in USDC. */
export type Network = {
  readonly chainId: number
  /** CAIP-2, as x402 version 2 names it. */
  readonly id: `eip155:${number}`
  /** As x402 version 1 names it, also in settings, URLs and reports. */
  readonly nameV1: string
  /** Its name for people. */
  readonly title: string
  /** Whether its money is worthless. */
  readonly isTest: boolean
  /** Native USDC; EIP-55. */
  readonly usdc: `0x${string}`
  /** EIP-712 domain of its USDC. */
  readonly usdcName: string
  readonly usdcVersion: string
  /** Amounts are micro-dollars throughout. */
  readonly decimals: 6
  /** Without a trailing slash. */
  readonly explorerUrl: string
  /** Block tag up to which blocks are read: rarely reorganised. */
  readonly safeTag: 'safe' | 'latest'
  /** Block tag up to which blocks are final. */
  readonly finalTag: 'finalized' | 'latest'
  /** Null if blocks have no fixed times; otherwise `timestamp = genesisSeconds + blockSeconds * number`. */
  readonly genesisSeconds: number | null
  readonly blockSeconds: number
  /** Blocks of seven days. */
  readonly weekBlocks: number
}

const OP_STACK = {
  decimals: 6,
  safeTag: 'safe',
  finalTag: 'finalized',
  blockSeconds: 2,
  weekBlocks: 302_400,
} as const

/**
 * Base mainnet. Its USDC is FiatTokenV2_2 behind a proxy. Chain id, genesis and block time:
 * ethereum-optimism/superchain-registry `superchain/configs/mainnet/base.toml`; USDC: Circle's list of addresses, and
 * the table of `@x402/evm`.
 */
export const BASE = {
  ...OP_STACK,
  chainId: 8453,
  id: 'eip155:8453',
  nameV1: 'base',
  title: 'Base',
  isTest: false,
  usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  usdcName: 'USD Coin',
  usdcVersion: '2',
  explorerUrl: 'https://basescan.org',
  genesisSeconds: 1_686_789_347,
} as const satisfies Network

/**
 * The test network of Base, on Sepolia. Chain id, genesis and block time: ethereum-optimism/superchain-registry
 * `superchain/configs/sepolia/base.toml` at 00377e9e; explorer: `viem/chains`; USDC with its EIP-712 domain: the tables
 * of `@x402/evm` and `x402`.
 */
export const BASE_SEPOLIA = {
  ...OP_STACK,
  chainId: 84_532,
  id: 'eip155:84532',
  nameV1: 'base-sepolia',
  title: 'Base Sepolia',
  isTest: true,
  usdc: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  usdcName: 'USDC',
  usdcVersion: '2',
  explorerUrl: 'https://sepolia.basescan.org',
  genesisSeconds: 1_695_768_288,
} as const satisfies Network

/** The networks that are built in, `base` first. */
export const NETWORKS: readonly Network[] = [BASE, BASE_SEPOLIA]

/** The built-in network with a CAIP-2 id, or a name of x402 version 1. */
export function findNetwork(idOrName: string): Network | undefined {
  return NETWORKS.find(({ id, nameV1 }) => id === idOrName || nameV1 === idOrName)
}

/** The chain id in the CAIP-2 id of an EVM chain. */
export function chainIdOf(id: string): number {
  return Number(id.slice('eip155:'.length))
}
