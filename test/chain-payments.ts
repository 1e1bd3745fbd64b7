import { type Address, encodeFunctionData, type Hex, keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { DEV_CLIENT_KEYS } from '../src/devchain/accounts.ts'
import { devMulticall3Abi, devUsdcAbi } from '../src/devchain/contracts/abis.ts'
import type { DevChain } from '../src/devchain/dev-chain.ts'
import { BASE } from '../src/money/base.ts'

/** A transaction that a test sends from a wallet whose key anvil holds or pretends to hold. */
export type Call = { readonly to: Address; readonly data: Hex }

export type AuthorizedTransfer = {
  /** Which of the dev chain's client accounts pays. */
  readonly payer: number
  readonly to: Address
  /** Micro-USDC. */
  readonly amount: bigint
  /** Makes nonces differ. */
  readonly salt: string
  readonly kind?: 'transferWithAuthorization' | 'receiveWithAuthorization'
}

const DOMAIN = {
  name: BASE.usdcName,
  version: BASE.usdcVersion,
  chainId: BASE.chainId,
  verifyingContract: BASE.usdc,
} as const
const FIELDS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const
const TYPES = { TransferWithAuthorization: FIELDS, ReceiveWithAuthorization: FIELDS } as const
const FOREVER = 2n ** 48n

/** A client account of the dev chain. */
export function clientAccount(index: number) {
  const key = DEV_CLIENT_KEYS[index]
  if (!key) throw new RangeError(`the dev chain has no client account ${index}`)
  return privateKeyToAccount(key)
}

/** The call by which USDC moves on the payer's EIP-3009 signature. */
export async function toAuthorizedTransfer(transfer: AuthorizedTransfer): Promise<Call> {
  const account = clientAccount(transfer.payer)
  const kind = transfer.kind ?? 'transferWithAuthorization'
  const nonce = keccak256(toHex(transfer.salt))
  const message = {
    from: account.address,
    to: transfer.to,
    value: transfer.amount,
    validAfter: 0n,
    validBefore: FOREVER,
    nonce,
  }
  const primaryType =
    kind === 'transferWithAuthorization' ? 'TransferWithAuthorization' : 'ReceiveWithAuthorization'
  const signature = await account.signTypedData({ domain: DOMAIN, types: TYPES, primaryType, message })
  const args = [account.address, transfer.to, transfer.amount, 0n, FOREVER, nonce, signature] as const
  return { to: BASE.usdc, data: encodeFunctionData({ abi: devUsdcAbi, functionName: kind, args }) }
}

/** Many calls in one transaction, through Multicall3. */
export function toBatch(calls: readonly Call[]): Call {
  const args = [calls.map(({ to, data }) => ({ target: to, allowFailure: false, callData: data }))] as const
  return {
    to: BASE.multicall3,
    data: encodeFunctionData({ abi: devMulticall3Abi, functionName: 'aggregate3', args }),
  }
}

/** Sends a call and waits until it is mined. @returns the transaction's hash. */
export async function sendCall(chain: Pick<DevChain, 'rpc'>, from: Address, call: Call): Promise<Hex> {
  await chain.rpc.call('anvil_impersonateAccount', [from])
  const receipt = await chain.rpc.call<{ transactionHash: Hex; status: Hex }>('eth_sendTransactionSync', [
    { from, ...call },
  ])
  if (receipt.status !== '0x1') throw new Error('the transaction was reverted')
  return receipt.transactionHash
}
