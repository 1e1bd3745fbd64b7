import type { Address, Hex } from '@tollbook/chain/hex'
import type { ContractCall } from '@tollbook/chain/multicall'
import type { ChannelEscrow } from '@tollbook/gate/facilitator'
import type { TransactionReceipt } from '@tollbook/gate/reading/chain'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/facilitator'
import { type Abi, decodeFunctionResult, encodeFunctionData, recoverTypedDataAddress } from 'viem'

/** What the SDK's facilitator of channels decides: whether a request is valid, and which transaction settles it. */
export type ChannelScheme = Pick<ChannelEscrow, 'verify' | 'settle'>

type SchemePorts = {
  /** The wallet that sends. */
  readonly from: Address
  /** @returns what the call returns. */
  readonly simulate: (call: ContractCall) => Promise<Hex>
  /** Sends a transaction, and waits until it is mined. @param limit its gas; undefined is estimated. */
  readonly send: (call: ContractCall, limit: bigint | undefined, isDeposit: boolean) => Promise<Hex>
  /** The receipt of a transaction that was sent. */
  readonly takeReceipt: (hash: Hex) => TransactionReceipt
  readonly readCode: (wallet: Address) => Promise<Hex>
}

type ContractCallArgs = {
  readonly address: Hex
  readonly abi: readonly unknown[]
  readonly functionName: string
  readonly args?: readonly unknown[]
}

/** The SDK's facilitator, without a key of its own, so that it signs for nobody. */
export function openChannelScheme(ports: SchemePorts): ChannelScheme {
  const { from, simulate, send, takeReceipt, readCode } = ports
  const scheme = new BatchSettlementEvmScheme({
    getAddresses: () => [from],
    readContract: async (read) => {
      const data = await simulate(toCall(read))
      const { abi, functionName } = read
      return decodeFunctionResult({ abi: abi as Abi, functionName, data })
    },
    writeContract: (write) => send(toCall(write), write.gas, write.functionName === 'deposit'),
    sendTransaction: ({ to, data }) => send({ to: to.toLowerCase() as Address, data }, undefined, false),
    waitForTransactionReceipt: async ({ hash }) => toSdkReceipt(takeReceipt(hash)),
    // Payers and vouchers of wallets without their own key are refused before.
    verifyTypedData: async ({ address, signature, ...typed }) => {
      const recovered = await recoverTypedDataAddress({ ...typed, signature } as never).catch(() => '')
      return recovered.toLowerCase() === address.toLowerCase()
    },
    getCode: ({ address }) => readCode(address.toLowerCase() as Address),
  })
  // The SDK's types are mutable.
  return scheme as unknown as ChannelScheme
}

function toSdkReceipt({ status, logs }: TransactionReceipt) {
  // The SDK reads address, topics and data of logs.
  return { status: status === '0x1' ? 'success' : 'reverted', logs: logs as unknown as [] }
}

function toCall({ address, abi, functionName, args = [] }: ContractCallArgs): ContractCall {
  return {
    to: address.toLowerCase() as Address,
    // The SDK types its ABIs loosely.
    data: encodeFunctionData({ abi: abi as Abi, functionName, args }),
  }
}
