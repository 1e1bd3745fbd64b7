import { serializeTransaction } from 'viem/utils'
import type { Hex } from './hex.ts'
import { keccak } from './keccak.ts'
import type { KeySigner } from './key-signer.ts'
import type { ContractCall } from './multicall.ts'

/** A transaction of EIP-1559 without value and access list. */
export type TransactionFields = {
  readonly nonce: number
  readonly call: ContractCall
  readonly gas: bigint
  readonly fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
}

export type SignedTransaction = { readonly raw: Hex; readonly hash: Hex }

/** Signs with viem's RLP: there is one transaction for each batch of settlements. */
export async function signTransaction(
  signer: KeySigner,
  chainId: number,
  { nonce, call, gas, fees }: TransactionFields,
): Promise<SignedTransaction> {
  const transaction = { type: 'eip1559', chainId, nonce, gas, ...call, ...fees } as const
  const signature = await signer.sign(hash(serializeTransaction(transaction)))
  const raw = serializeTransaction(transaction, signature)
  return { raw, hash: `0x${hash(raw).toString('hex')}` }
}

function hash(raw: Hex): Buffer {
  return keccak(Buffer.from(raw.slice(2), 'hex'))
}
