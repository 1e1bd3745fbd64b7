import { requireBlock } from '@tollbook/chain/blocks'
import { type Address, parseQuantity } from '@tollbook/chain/hex'
import { PermanentError } from '@tollbook/flow/failure'
import type { Chain } from '@tollbook/gate/reading/chain'
import type { State } from '@tollbook/gate/state/state'
import type { WalletSigner } from '../wallet-signer.ts'
import { createNonceStore, type NonceStore } from './nonce-store.ts'

/** The wallet that sends settlements, once the chain is connected. */
export type Wallet = {
  readonly chain: Chain
  readonly signer: WalletSigner
  readonly nonces: NonceStore
  /** The newest transaction count that was seen: nonces below it are used. */
  minedCount(): number
  /** Reads the count from the chain. */
  refreshCount(signal?: AbortSignal): Promise<number>
  /** Records from a receipt that a nonce is used. */
  sawMined(nonce: number): void
  /** Nonces that this process is working on right now. */
  readonly active: Set<number>
}

/** The RPC serves another chain than the one whose payments are accepted. */
export class WrongChain extends PermanentError {
  override readonly name = 'WrongChain'
}

/** @throws WrongChain, and what the RPC throws. */
export async function openWallet(
  chain: Chain,
  signer: WalletSigner,
  options: { readonly state: State; readonly owner: string; readonly leaseMs: number },
): Promise<Wallet> {
  const [chainId, genesis, firstCount] = await Promise.all([
    chain.rpc.call('eth_chainId', []),
    requireBlock(chain.rpc, 0),
    readCount(chain, signer.address),
  ])
  if (Number(chainId) !== chain.access.network.chainId)
    throw new WrongChain(`the RPC serves chain ${Number(chainId)}, not ${chain.access.network.chainId}`)
  // A new local chain with the same id counts from zero again: its rows must not collide with those of the
  // old one.
  const name = `${chain.access.network.chainId}/${genesis.hash.slice(0, 18)}/${signer.address}`
  const { state, owner, leaseMs } = options
  let count = firstCount
  return {
    chain,
    signer,
    nonces: createNonceStore(state, { signer: name, owner, leaseMs }),
    minedCount: () => count,
    async refreshCount(signal) {
      const seen = await readCount(chain, signer.address, signal)
      // A lagging node must not make used nonces free again.
      count = Math.max(count, seen)
      return count
    },
    sawMined(nonce) {
      count = Math.max(count, nonce + 1)
    },
    active: new Set(),
  }
}

async function readCount(chain: Chain, address: Address, signal?: AbortSignal): Promise<number> {
  const count = await chain.rpc.call('eth_getTransactionCount', [address, 'latest'], signal)
  return parseQuantity(count, 'transaction count')
}
