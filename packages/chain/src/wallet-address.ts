import * as z from 'zod'
import { toChecksumAddress } from './checksum-address.ts'
import { CONTRACTS } from './contracts.ts'
import { NETWORKS } from './network.ts'

/** A wallet address in any case, returned in lower case. A mixed-case address is checked as EIP-55. */
export const walletAddress = z
  .string()
  .regex(/^0[xX][0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')
  .refine(hasChecksum, 'does not match its EIP-55 checksum (check for a wrong digit)')
  .transform((text) => text.toLowerCase() as `0x${string}`)

/** Whether a text has no checksum (EIP-55: letters of both cases), or the right one. */
export function hasChecksum(text: string): boolean {
  const digits = text.slice(2)
  return (
    digits === digits.toLowerCase() ||
    digits === digits.toUpperCase() ||
    toChecksumAddress(`0x${digits}`) === `0x${digits}`
  )
}

/** USDC that is sent to one of these cannot be moved by anyone who sells. */
const NO_PAYEES: ReadonlyMap<string, string> = new Map(
  [
    ['0x0000000000000000000000000000000000000000', 'the zero address'] as const,
    ...NETWORKS.map(({ usdc }) => [usdc, 'the USDC contract'] as const),
    [CONTRACTS.permit2, 'the Permit2 contract'] as const,
    [CONTRACTS.multicall3, 'the Multicall3 contract'] as const,
    ...[
      CONTRACTS.exactPermit2Proxy,
      CONTRACTS.uptoPermit2Proxy,
      ...CONTRACTS.earlierProxies,
      CONTRACTS.channelEscrow,
      ...CONTRACTS.channelCollectors,
      ...CONTRACTS.captureEscrows,
      ...CONTRACTS.captureCollectors,
    ].map((contract) => [contract, 'a contract of x402'] as const),
  ].map(([contract, name]) => [contract.toLowerCase(), name]),
)

/** A wallet that can receive payments. */
export const payeeAddress = walletAddress.superRefine((wallet, { addIssue }) => {
  const name = NO_PAYEES.get(wallet)
  if (name) addIssue(`is ${name}: payments there are lost; set the address of your own wallet`)
})
