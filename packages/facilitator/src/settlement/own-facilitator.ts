import type { Hex } from '@tollbook/chain/hex'
import type { OpenFacilitator } from '@tollbook/gate/seller/seller-options'
import { migrateState } from '@tollbook/store/migrate'
import { baseline } from '../state/migrations.ts'
import { createInProcessFacilitator } from './in-process-facilitator.ts'
import type { InProcessOptions } from './options.ts'

export type OwnFacilitatorOptions = Pick<
  InProcessOptions,
  'signerUrl' | 'moreKeys' | 'maxFeePerGas' | 'batchSize' | 'ethUsd'
> & {
  /**
   * Private key of the wallet that sends settlements and pays their gas in ETH, or the address of one that the signer at
   * `signerUrl` holds. Several processes may share it through their store.
   */
  readonly key: Hex
}

/**
 * The facilitator of a gate, in its own process and store.
 * @throws TypeError for a key of another form
 * @example createGate({ facilitator: ownFacilitator({ key: '0x…' }), … })
 */
export function ownFacilitator(options: OwnFacilitatorOptions): OpenFacilitator {
  if (!/^0x([0-9a-fA-F]{64}|[0-9a-fA-F]{40})$/.test(options.key))
    throw new TypeError('key: a private key, 0x and 64 hex digits, or the address of a wallet at signerUrl')
  if (options.key.length === 42 && options.signerUrl === undefined)
    throw new TypeError('signerUrl: where the wallet of this address signs')
  return async ({ chain, state, logger }) => {
    await migrateState(state, [baseline])
    return createInProcessFacilitator({ ...options, chain, state, logger })
  }
}
