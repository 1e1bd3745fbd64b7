import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import {
  devExactProxyAbi,
  devMulticall3Abi,
  devUptoProxyAbi,
  devUsdcAbi,
} from '@tollbook/devchain/contracts/abis'
import { toPermitTransferTypedData, toReceiveTypedData } from '@tollbook/devchain/contracts/typed-data'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import { type Address, encodeFunctionData, type Hex, keccak256, maxUint256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { toTransferTypedData } from '../chain/authorization-typed-data.ts'

/** The call of a transaction. */
export type Call = { readonly to: Address; readonly data: Hex }

export type SignedTransfer = {
  /** Which of the dev chain's client accounts pays. */
  readonly payer: number
  readonly to: Address
  /** Micro-USDC. */
  readonly amount: bigint
  /** Makes nonces unique. */
  readonly salt: string
}

/** Later than any block of a test. */
const FOREVER = 2n ** 48n

/** A client account of the dev chain. */
export function clientAccount(index: number) {
  const key = DEV_CLIENT_KEYS[index]
  if (!key) throw new RangeError(`the dev chain has no client account ${index}`)
  return privateKeyToAccount(key)
}

/** The call by which USDC moves on the payer's EIP-3009 signature; only the payee can send `receive`. */
export async function toAuthorizedTransfer(
  { payer, to, amount, salt }: SignedTransfer,
  kind: 'transfer' | 'receive' = 'transfer',
): Promise<Call> {
  const account = clientAccount(payer)
  const nonce = keccak256(toHex(salt))
  const message = {
    from: account.address,
    to,
    value: amount,
    validAfter: 0n,
    validBefore: FOREVER,
    nonce,
  }
  const args = [account.address, to, amount, 0n, FOREVER, nonce] as const
  if (kind === 'receive') {
    const signature = await account.signTypedData(toReceiveTypedData(message))
    return toUsdcCall('receiveWithAuthorization', [...args, signature])
  }
  const signature = await account.signTypedData(toTransferTypedData(message))
  return toUsdcCall('transferWithAuthorization', [...args, signature])
}

/** A transfer by the sender of the transaction, which is not a payment. */
export function toPlainTransfer(to: Address, amount: bigint): Call {
  return toUsdcCall('transfer', [to, amount])
}

/** The call by which a payer approves Permit2 for its USDC. */
export function toPermit2Approval(): Call {
  return toUsdcCall('approve', [CONTRACTS.permit2, maxUint256])
}

/** The call that settles through a contract with the exact proxy's code at another address. */
export async function toProxySettlement(
  { payer, to, amount, salt }: SignedTransfer,
  proxy: Address,
): Promise<Call> {
  const account = clientAccount(payer)
  const nonce = BigInt(keccak256(toHex(salt)))
  const transfer = { amount, nonce, deadline: FOREVER, to, facilitator: null, validAfter: 0n }
  const typed = toPermitTransferTypedData(transfer)
  // Permit2 pays only the spender that was signed for.
  const signature = await account.signTypedData({ ...typed, message: { ...typed.message, spender: proxy } })
  const permit = { permitted: { token: BASE.usdc, amount }, nonce, deadline: FOREVER }
  const args = [permit, account.address, { to, validAfter: 0n }, signature] as const
  return { to: proxy, data: encodeFunctionData({ abi: devExactProxyAbi, functionName: 'settle', args }) }
}

/** The call that settles through the exact proxy, or, with a facilitator, through the upto proxy. */
export async function toPermit2Settlement(
  { payer, to, amount, salt }: SignedTransfer,
  upto?: { readonly facilitator: Address; readonly settled: bigint },
): Promise<Call> {
  const account = clientAccount(payer)
  const nonce = BigInt(keccak256(toHex(salt)))
  const facilitator = upto?.facilitator ?? null
  const signature = await account.signTypedData(
    toPermitTransferTypedData({ amount, nonce, deadline: FOREVER, to, facilitator, validAfter: 0n }),
  )
  const permit = { permitted: { token: BASE.usdc, amount }, nonce, deadline: FOREVER }
  if (!upto) {
    const args = [permit, account.address, { to, validAfter: 0n }, signature] as const
    const data = encodeFunctionData({ abi: devExactProxyAbi, functionName: 'settle', args })
    return { to: CONTRACTS.exactPermit2Proxy, data }
  }
  const witness = { to, facilitator: upto.facilitator, validAfter: 0n }
  const args = [permit, upto.settled, account.address, witness, signature] as const
  const data = encodeFunctionData({ abi: devUptoProxyAbi, functionName: 'settle', args })
  return { to: CONTRACTS.uptoPermit2Proxy, data }
}

/** Many calls in one transaction, through Multicall3. */
export function toBatch(calls: readonly Call[]): Call {
  const args = [calls.map(({ to, data }) => ({ target: to, allowFailure: false, callData: data }))] as const
  const data = encodeFunctionData({ abi: devMulticall3Abi, functionName: 'aggregate3', args })
  return { to: CONTRACTS.multicall3, data }
}

/** Sends a call from any wallet and waits until it is mined. @returns the transaction's hash. */
export async function sendCall(chain: Pick<DevChain, 'rpc'>, from: Address, call: Call): Promise<Hex> {
  await chain.rpc.call('anvil_impersonateAccount', [from])
  const receipt = await chain.rpc.call<{ transactionHash: Hex; status: Hex }>('eth_sendTransactionSync', [
    { from, ...call },
  ])
  if (receipt.status !== '0x1') throw new Error('the transaction was reverted')
  return receipt.transactionHash
}

function toUsdcCall(
  functionName: 'transfer' | 'approve' | 'transferWithAuthorization' | 'receiveWithAuthorization',
  args: readonly unknown[],
): Call {
  // viem cannot choose among overloads by a name that is known only at run time; the callers above pass
  // matching arguments.
  const data = encodeFunctionData({ abi: devUsdcAbi, functionName, args } as Parameters<
    typeof encodeFunctionData
  >[0])
  return { to: BASE.usdc, data }
}
