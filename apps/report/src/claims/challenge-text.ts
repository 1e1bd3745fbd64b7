import { toChecksumAddress } from '@tollbook/chain/checksum-address'
import type { Address } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { toPriceResource } from '@tollbook/verify/published/price-resource'

/** What a wallet signs: its identity, the action, and everything that the action publishes. */
export type Challenge = {
  /** 32 hex digits; identifies the challenge, which is used once. */
  readonly nonce: string
  readonly address: Address
  readonly action: 'claim' | 'withdraw' | 'alerts'
  readonly statement: string | null
  readonly disclosures: readonly Address[]
  /** The highest price that the merchant charges. */
  readonly maxPrice: AtomicUsdc | null
  readonly issuedAt: Date
  readonly expiresAt: Date
}

/** One line each; EIP-4361 allows letters, spaces and the marks of RFC 3986. */
const SENTENCES = {
  claim:
    'I claim the Tollbook report of this wallet. My own words and further wallets of mine, where they stand ' +
    'under Resources, are to be published with it in place of any that I published before.',
  withdraw:
    'I withdraw my claim of the Tollbook report of this wallet, and with it my words and the further wallets ' +
    'that I named.',
  alerts:
    'I manage the alerts of the Tollbook report of this wallet for one hour, by the token that the service returns ' +
    'for this signature. Nothing is published.',
} as const satisfies Record<Challenge['action'], string>

/**
 * The text to sign (https://eips.ethereum.org/EIPS/eip-4361). Its resources are what is published: the words
 * as a data URL (RFC 2397), wallets as did:pkh, the highest price as JSON. So a signer authorises what it
 * read.
 * @param baseUrl public address of this service, without a trailing slash; its host is the domain.
 */
export function renderChallengeText(challenge: Challenge, baseUrl: string): string {
  const { address, statement, maxPrice } = challenge
  const resources = [
    `${baseUrl}/merchants/base/${address}/claim.json`,
    ...(statement === null ? [] : [`data:text/plain;charset=utf-8,${encodeURIComponent(statement)}`]),
    ...challenge.disclosures.map((wallet) => `did:pkh:${BASE.id}:${toChecksumAddress(wallet)}`),
    ...(maxPrice === null ? [] : [toPriceResource(maxPrice)]),
  ]
  return [
    `${new URL(baseUrl).host} wants you to sign in with your Ethereum account:`,
    toChecksumAddress(address),
    '',
    SENTENCES[challenge.action],
    '',
    `URI: ${baseUrl}/claims`,
    'Version: 1',
    `Chain ID: ${BASE.chainId}`,
    `Nonce: ${challenge.nonce}`,
    `Issued At: ${challenge.issuedAt.toISOString()}`,
    `Expiration Time: ${challenge.expiresAt.toISOString()}`,
    'Resources:',
    ...resources.map((resource) => `- ${resource}`),
  ].join('\n')
}

/** The nonce in a text; null when it contains none of ours. */
export function readNonce(message: string): string | null {
  return /\nNonce: ([0-9a-f]{32})\n/.exec(message)?.[1] ?? null
}
