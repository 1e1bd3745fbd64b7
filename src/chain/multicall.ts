import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils'
import { InvalidAnswer } from '../fetching/failure.ts'
import type { Address, Hex } from './hex.ts'

/** A call of a contract. */
export type ContractCall = { readonly to: Address; readonly data: Hex }

const ABI = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'function aggregate3(Call3[] calls) payable returns ((bool success, bytes returnData)[])',
])

/** Multicall3's aggregate3; every call may fail on its own. */
export function encodeAggregate(calls: readonly ContractCall[]): Hex {
  const args = calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))
  return encodeFunctionData({ abi: ABI, args: [args] })
}

/**
 * Decodes for each call of an aggregate3 whether it succeeded, and what it returned.
 * @throws InvalidAnswer if the chain has no Multicall3.
 */
export function decodeAggregate(returned: Hex): readonly { readonly isOk: boolean; readonly data: Hex }[] {
  try {
    const results = decodeFunctionResult({ abi: ABI, data: returned })
    return results.map(({ success, returnData }) => ({ isOk: success, data: returnData }))
  } catch (error) {
    throw new InvalidAnswer('the chain lacks Multicall3 at the expected address', { cause: error })
  }
}
