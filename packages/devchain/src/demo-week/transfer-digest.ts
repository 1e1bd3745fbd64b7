import { hashTokenDomain, hashTransfer, type TransferAuthorization, toDigest } from '@tollbook/chain/digests'
import { USDC_DOMAIN } from '../contracts/typed-data.ts'

const DOMAIN = hashTokenDomain(USDC_DOMAIN)

/**
 * The EIP-712 digest of an EIP-3009 payment. viem's encoder hashes domain and types for each payment, which was
 * a third of the time to sign a demo week.
 */
export function toTransferDigest(authorization: TransferAuthorization): Buffer {
  return toDigest(DOMAIN, hashTransfer(authorization))
}
