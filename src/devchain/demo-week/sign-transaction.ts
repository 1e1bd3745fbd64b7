import {
  type Hex,
  keccak256,
  parseSignature,
  serializeTransaction,
  type TransactionSerializableEIP1559,
} from 'viem'
import { BASE } from '../../money/base.ts'
import type { DemoCall } from './encode-event.ts'

/** Above the initial base fee of a new chain (1 gwei); gas is free here. */
const MAX_FEE_WEI = 10_000_000_000n

/** Signs calls into raw transactions, counting nonces from zero for new wallets. */
export function createTransactionSigner(): (call: DemoCall) => Hex {
  const nonces = new Map<Hex, number>()
  return ({ sender, to, data, gas }) => {
    const nonce = nonces.get(sender.address) ?? 0
    nonces.set(sender.address, nonce + 1)
    const transaction: TransactionSerializableEIP1559 = {
      type: 'eip1559',
      chainId: BASE.chainId,
      nonce,
      to,
      data,
      gas,
      maxFeePerGas: MAX_FEE_WEI,
      maxPriorityFeePerGas: 0n,
    }
    const signature = parseSignature(sender.sign(keccak256(serializeTransaction(transaction))))
    return serializeTransaction(transaction, signature)
  }
}
