import type { Hex } from '@tollbook/chain/hex'
import { RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import type { Chain } from '@tollbook/gate/reading/chain'

/**
 * The node's answer to a signed transaction.
 * - `sent`: it has it.
 * - `nonce-used`: a transaction with this nonce is mined, perhaps this one.
 * - `underpriced`: it requires a higher fee.
 * - `refused`: anything else, such as too little money for gas; the node may still accept it later.
 * - `unreachable`: it is unknown whether the node has it.
 */
export type BroadcastResult = 'sent' | 'nonce-used' | 'underpriced' | 'refused' | 'unreachable'

/** Messages of geth, op-geth, reth, Nethermind and anvil. */
const WORDINGS: readonly (readonly [BroadcastResult, RegExp])[] = [
  ['sent', /already known|already imported|already exists|known transaction/i],
  ['nonce-used', /nonce too low|nonce is too low|old nonce|invalid nonce/i],
  ['underpriced', /underpriced|less than block base fee|fee too low|feetoolow|gas price too low/i],
]

/** Sends a signed transaction to the node. Sending the same one twice is idempotent. Never throws. */
export async function broadcast(chain: Chain, raw: Hex, signal?: AbortSignal): Promise<BroadcastResult> {
  try {
    await chain.rpc.call('eth_sendRawTransaction', [raw], signal)
    return 'sent'
  } catch (error) {
    if (!(error instanceof RpcRefusal)) return 'unreachable'
    return WORDINGS.find(([, wording]) => wording.test(error.message))?.[0] ?? 'refused'
  }
}
