import { CONTRACTS } from '@tollbook/chain/contracts'
import { encodeFunctionData } from 'viem'
import { devMulticall3Abi } from '../contracts/abis.ts'
import type { DemoCall } from './encode-event.ts'

const MAX_BATCH_SIZE = 20
const BATCH_GAS = 60_000n

/** Groups one sender's calls into Multicall3 transactions; each lists its calls by index. */
export function batchCalls(
  calls: readonly DemoCall[],
): readonly { readonly call: DemoCall; readonly members: readonly number[] }[] {
  const places = Map.groupBy(calls.keys(), (place) => calls[place]?.sender)
  const batches = [...places.values()].flatMap((members) =>
    Array.from({ length: Math.ceil(members.length / MAX_BATCH_SIZE) }, (_, part) =>
      members.slice(part * MAX_BATCH_SIZE, (part + 1) * MAX_BATCH_SIZE),
    ),
  )
  return batches.flatMap((members) => {
    const inside = members.flatMap((place) => calls[place] ?? [])
    const sender = inside[0]?.sender
    return sender ? [{ call: toMulticall(inside, sender), members }] : []
  })
}

function toMulticall(calls: readonly DemoCall[], sender: DemoCall['sender']): DemoCall {
  const data = encodeFunctionData({
    abi: devMulticall3Abi,
    functionName: 'aggregate3',
    args: [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))],
  })
  const gas = calls.reduce((sum, call) => sum + call.gas, BATCH_GAS)
  return { sender, to: CONTRACTS.multicall3, data, gas }
}
