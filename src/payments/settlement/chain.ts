import type { Address } from '../../catalogue/endpoint.ts'
import { BASE } from '../../money/base.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import { encodeWords } from '../authorization/words.ts'
import type { Hex, OfferedPayment } from '../payment.ts'
import { type ContractCall, SELECTORS } from './calldata.ts'
import type { ChainAccess } from './options.ts'
import { createRpc, type Rpc } from './rpc.ts'
import type { ChainLog } from './settlement-logs.ts'

/** The chain as settlement sees it: an RPC with the few reads that payments need. */
export type Chain = {
  readonly access: ChainAccess
  readonly rpc: Rpc
}

export type BlockHead = {
  readonly number: number
  readonly timestamp: number
  readonly baseFeePerGas: bigint
}

export type TransactionReceipt = {
  readonly status: Hex
  readonly transactionHash: Hex
  readonly blockNumber: Hex
  readonly logs: readonly ChainLog[]
}

export function openChain(access: ChainAccess): Chain {
  return {
    access,
    rpc: createRpc({
      url: access.rpcUrl,
      ...(access.timeoutMs === undefined ? {} : { timeoutMs: access.timeoutMs }),
    }),
  }
}

/** Gas that a simulation may burn: enough for a batch, little enough that a hostile wallet cannot keep a node busy. */
const MOST_CALL_GAS = 16_000_000

/** Runs a call against the newest block without a transaction. @throws RpcRefusal when it reverts. */
export function simulateCall(
  chain: Chain,
  call: ContractCall & { readonly from: Address; readonly gas?: number },
  signal?: AbortSignal,
): Promise<Hex> {
  const { from, to, data, gas } = call
  return chain.rpc.call<Hex>(
    'eth_call',
    [{ from, to, data, gas: toQuantity(gas ?? MOST_CALL_GAS) }, 'latest'],
    signal,
  )
}

/** USDC of a wallet, in micro-USDC. */
export async function readBalance(chain: Chain, payer: Address, signal?: AbortSignal): Promise<AtomicUsdc> {
  return readWord(
    chain,
    { to: chain.access.asset, data: `${SELECTORS.balanceOf}${encodeWords([payer])}` },
    signal,
  )
}

/** How much of the payer's USDC Permit2 may move. */
export async function readAllowance(chain: Chain, payer: Address, signal?: AbortSignal): Promise<AtomicUsdc> {
  const data = `${SELECTORS.allowance}${encodeWords([payer, BASE.permit2])}` as const
  return readWord(chain, { to: chain.access.asset, data }, signal)
}

/** Whether the authorization's nonce is used or cancelled. */
export async function readIsUsed(
  chain: Chain,
  payment: OfferedPayment,
  signal?: AbortSignal,
): Promise<boolean> {
  const { payer, nonce } = payment
  if (payment.scheme === 'exact') {
    const data = `${SELECTORS.authorizationState}${encodeWords([payer, nonce])}` as const
    return (await readWord(chain, { to: payment.terms.asset, data }, signal)) !== 0n
  }
  // Permit2 keeps 256 nonces a word: the upper 248 bits name the word, the lower 8 the bit.
  const wide = BigInt(nonce)
  const data = `${SELECTORS.nonceBitmap}${encodeWords([payer, wide >> 8n])}` as const
  const bitmap = await readWord(chain, { to: BASE.permit2, data }, signal)
  return ((bitmap >> (wide & 0xffn)) & 1n) === 1n
}

/** Whether an account has code, also by delegation (EIP-7702). */
export async function readHasCode(chain: Chain, account: Address, signal?: AbortSignal): Promise<boolean> {
  return (await chain.rpc.call<Hex>('eth_getCode', [account, 'latest'], signal)) !== '0x'
}

/** A block's number, time (epoch seconds) and base fee (wei). */
export async function readBlock(
  chain: Chain,
  block: 'latest' | 'finalized' | 'earliest' | number,
  signal?: AbortSignal,
): Promise<BlockHead & { readonly hash: Hex }> {
  const tag = typeof block === 'number' ? toQuantity(block) : block
  const read = await chain.rpc.call<{
    readonly number: Hex
    readonly timestamp: Hex
    readonly hash: Hex
    readonly baseFeePerGas?: Hex
  }>('eth_getBlockByNumber', [tag, false], signal)
  return {
    number: Number(read.number),
    timestamp: Number(read.timestamp),
    hash: read.hash,
    baseFeePerGas: BigInt(read.baseFeePerGas ?? '0x0'),
  }
}

/** The receipt of a mined transaction, or null. */
export function readReceipt(
  chain: Chain,
  hash: Hex,
  signal?: AbortSignal,
): Promise<TransactionReceipt | null> {
  return chain.rpc.call<TransactionReceipt | null>('eth_getTransactionReceipt', [hash], signal)
}

export function toQuantity(value: number | bigint): Hex {
  return `0x${value.toString(16)}`
}

async function readWord(chain: Chain, call: ContractCall, signal?: AbortSignal): Promise<bigint> {
  const returned = await chain.rpc.call<Hex>('eth_call', [call, 'latest'], signal)
  // An account without code returns nothing: no such token or contract on this chain.
  return returned === '0x' ? 0n : BigInt(returned)
}
