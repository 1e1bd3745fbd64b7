import { createHash } from 'node:crypto'
import type { Address, Hex } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import { PAYMENT_RULE } from '@tollbook/verify/build/definitions'
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import type { Basis } from '@tollbook/verify/published/inputs'
import { METHOD_VERSION } from '@tollbook/verify/screen/screens'
import { toFormerNames } from '@tollbook/verify/screen/threshold-names'
import type { Method } from '../build/visible-payments.ts'

/** The inputs of an edition other than the chain itself, as stored: one record for all of its merchants. */
export type StoredBasis = {
  readonly basis: Basis
  /** Payees of the listings in use, ascending. */
  readonly listedPayees: readonly Address[]
}

export type BasisParts = {
  readonly genesis: Hex
  readonly method: Method
  readonly facilitators: { readonly list: string; readonly addresses: ReadonlySet<Address> }
  /** The list of labelled wallets in use; null when there is none. */
  readonly labels: Basis['labels']
}

/** Describes the inputs of an edition, so that anyone can recompute it. */
export function describeBasis({ genesis, method, facilitators, labels }: BasisParts): StoredBasis {
  const facilitatorWallets = [...facilitators.addresses].sort()
  return {
    basis: {
      chain: { name: 'base', chain_id: BASE.chainId, genesis_hash: genesis },
      contracts: { usdc: BASE_CONTRACTS.usdc, permit2_proxies: [...BASE_CONTRACTS.proxies].sort() },
      method: {
        version: METHOD_VERSION,
        payment_rule: PAYMENT_RULE,
        screens: method.screens.map(({ kind, version, thresholds }) => ({
          kind,
          version,
          thresholds: toFormerNames(thresholds),
        })),
      },
      facilitators: { list: facilitators.list, addresses: facilitatorWallets },
      // Facilitators pass on what their own wallets receive.
      excluded_payees: facilitatorWallets,
      labels,
    },
    listedPayees: [...method.listedPayees].sort(),
  }
}

/** SHA-256 over each address and a line feed. The same set in the same order has the same digest. */
export function digestAddresses(addresses: readonly string[]): string {
  return toSha256(addresses.map((address) => `${address}\n`).join(''))
}

export function toSha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
