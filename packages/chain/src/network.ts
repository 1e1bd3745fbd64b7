/** A chain on which payments are made in USDC. */
export type Network = {
  readonly chainId: number
  /** CAIP-2, as x402 version 2 names it. */
  readonly id: `eip155:${number}`
  /** As x402 version 1 names it, also in URLs and reports. */
  readonly nameV1: string
  /** Its name for people. */
  readonly title: string
  /** Native USDC; EIP-55. */
  readonly usdc: `0x${string}`
  /** EIP-712 domain of its USDC. */
  readonly usdcName: string
  readonly usdcVersion: string
  readonly decimals: number
  /** Without a trailing slash. */
  readonly explorerUrl: string
  /** `timestamp = genesisSeconds + blockSeconds * number`. */
  readonly genesisSeconds: number
  readonly blockSeconds: number
  /** Blocks of seven days. */
  readonly weekBlocks: number
}

/** Base mainnet. Its USDC is FiatTokenV2_2 behind a proxy. */
export const BASE = {
  chainId: 8453,
  id: 'eip155:8453',
  nameV1: 'base',
  title: 'Base',
  usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  usdcName: 'USD Coin',
  usdcVersion: '2',
  decimals: 6,
  explorerUrl: 'https://basescan.org',
  genesisSeconds: 1_686_789_347,
  blockSeconds: 2,
  weekBlocks: 302_400,
} as const satisfies Network

/** The networks that x402 version 1 has names for here; a value that is added is known to payers and sellers. */
const NETWORKS: readonly Network[] = [BASE]

/** The network with a CAIP-2 id, if it is known. */
export function findNetwork(id: string): Network | undefined {
  return NETWORKS.find((network) => network.id === id)
}

/** The chain id in the CAIP-2 id of an EVM chain. */
export function chainIdOf(id: string): number {
  return Number(id.slice('eip155:'.length))
}
