import type { Hex } from '@tollbook/chain/hex'
import type { RawLog, RawReceipt } from './chain.ts'
import type { Behaviour } from './node.ts'

/** Numbers logs within each transaction, as some nodes have done, so that logs of one block share an index. */
export const numberWithinTransactions: Behaviour = (call, honest) => {
  const { method, params } = call
  const isInBulk = method === 'eth_getBlockReceipts' || params[1] === true
  if (isInBulk) return { error: { code: -32601, message: 'the method is not available' } }
  const answer = honest(call)
  if (!('result' in answer)) return answer
  if (method === 'eth_getTransactionReceipt') {
    const { logs, ...receipt } = answer.result as RawReceipt
    return { result: { ...receipt, logs: logs.map((log, at) => ({ ...log, logIndex: toHex(at) })) } }
  }
  if (method !== 'eth_getLogs') return answer
  const firstOf = (hash: Hex) => {
    const receipt = honest({ ...call, method: 'eth_getTransactionReceipt', params: [hash] })
    return 'result' in receipt ? Number((receipt.result as RawReceipt).logs[0]?.logIndex) : 0
  }
  const logs = answer.result as readonly RawLog[]
  const toOwn = (log: RawLog) => toHex(Number(log.logIndex) - firstOf(log.transactionHash))
  return { result: logs.map((log) => ({ ...log, logIndex: toOwn(log) })) }
}

function toHex(number: number): Hex {
  return `0x${number.toString(16)}`
}
