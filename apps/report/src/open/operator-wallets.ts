import { DEV_CLIENT_ADDRESSES, LISTING_ACCOUNT } from '@tollbook/chain/dev-accounts'
import type { Address } from '@tollbook/chain/hex'
import { createKeySigner } from '@tollbook/chain/key-signer'
import { payToOf } from '@tollbook/runtime/chain/chain-setting'
import type { Config } from '@tollbook/runtime/config'
import type { OperatorWallets } from '../claims/claims-and-listings.ts'

/** The wallets with which the operator pays its own services, by payee. */
export function operatorWalletsOf(config: Config): OperatorWallets {
  const { TOLLBOOK_OWN_WALLETS: own, TOLLBOOK_CALL_KEY: callKey } = config
  const configured = config.TOLLBOOK_CHAIN_RPC_URL
    ? callKey && createKeySigner(callKey as `0x${string}`).address
    : DEV_CLIENT_ADDRESSES[LISTING_ACCOUNT]
  const payers = [...own, ...(configured ? [configured] : [])].map(toLower)
  if (payers.length === 0) return new Map()
  return new Map(Object.values(payToOf(config)).map((payee) => [toLower(payee), [...new Set(payers)]]))
}

function toLower(address: string): Address {
  return address.toLowerCase() as Address
}
