import type { Address } from '@tollbook/chain/hex'

/** Wallets of one group; the first stands for all of them where they are one. */
export type Wallets = readonly [Address, ...Address[]]

export const GROUP_PREFIX = 'host:'

/** What identifies a group in the place of an address: `host:` and its host. */
export function toGroupKey(host: string): Address {
  // Reports of groups are stored, served and ranked by the same code as those of wallets.
  return `${GROUP_PREFIX}${host}` as unknown as Address
}

export function toGroupHost(key: string): string {
  return key.slice(GROUP_PREFIX.length)
}

export function isGroupKey(key: string): boolean {
  return key.startsWith(GROUP_PREFIX)
}
