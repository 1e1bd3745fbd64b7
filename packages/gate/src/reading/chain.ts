import type { HeadTag } from '@tollbook/chain/blocks'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { type Address, type Hex, parseHex, parseUint, toQuantity } from '@tollbook/chain/hex'
import { type ContractCall, decodeAggregate, encodeAggregate } from '@tollbook/chain/multicall'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { createSettlementRpc } from '@tollbook/chain/rpc/settlement-rpc'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { encodeWords } from '@tollbook/chain/words'
import { InvalidAnswer } from '@tollbook/flow/failure'
import { isByPermit2, type OfferedPayment } from '../payment.ts'
import { SELECTORS } from './calldata.ts'
import type { ChainAccess } from './chain-access.ts'
import type { ChainLog } from './settlement-logs.ts'

/** The chain as settlement needs it: an RPC, and the few reads for payments. */
export type Chain = {
  readonly access: ChainAccess
  readonly rpc: Rpc
}

export type TransactionReceipt = {
  readonly status: Hex
  readonly transactionHash: Hex
  readonly blockNumber: Hex
  readonly gasUsed: Hex
  /** Wei for each unit of gas. */
  readonly effectiveGasPrice: Hex
  /** Wei for its data on L1, on an OP chain such as Base. */
  readonly l1Fee?: Hex
  readonly logs: readonly ChainLog[]
}

export function openChain(access: ChainAccess): Chain {
  return {
    access,
    rpc: createSettlementRpc({
      url: access.rpcUrl,
      ...(access.timeoutMs === undefined ? {} : { timeoutMs: access.timeoutMs }),
    }),
  }
}

/** Gas limit of a simulation: enough for a batch, too little for a hostile wallet to keep a node busy. */
const MAX_CALL_GAS = 16_000_000

/** Runs a call without a transaction, by default against the newest block. @throws RpcRefusal if it reverts. */
export async function simulateCall(
  chain: Chain,
  call: ContractCall & { readonly from: Address; readonly gas?: number; readonly block?: HeadTag },
  signal?: AbortSignal,
): Promise<Hex> {
  const { from, to, data, gas, block } = call
  return callContract(chain, { from, to, data, gas: toQuantity(gas ?? MAX_CALL_GAS) }, signal, block)
}

/** A wallet's USDC, in micro-USDC. */
export async function readBalance(chain: Chain, payer: Address, signal?: AbortSignal): Promise<AtomicUsdc> {
  return readWord(
    chain,
    { to: chain.access.network.usdc, data: `${SELECTORS.balanceOf}${encodeWords([payer])}` },
    signal,
  )
}

/** How much of the payer's USDC Permit2 may move. */
export async function readAllowance(chain: Chain, payer: Address, signal?: AbortSignal): Promise<AtomicUsdc> {
  const data = `${SELECTORS.allowance}${encodeWords([payer, CONTRACTS.permit2])}` as const
  return readWord(chain, { to: chain.access.network.usdc, data }, signal)
}

/** Whether an authorization's nonce is used or cancelled, and the number of the block of that state. */
export type NonceUse = { readonly isUsed: boolean; readonly block: number }

/**
 * Reads both in one call, so that they come from the same block: the nodes behind one URL may lag, and
 * `unused` only counts as of a block that is new enough.
 * @param at default the newest block.
 */
export async function readNonceUse(
  chain: Chain,
  payment: OfferedPayment,
  { at, signal }: { readonly at?: HeadTag; readonly signal?: AbortSignal } = {},
): Promise<NonceUse> {
  const { payer, nonce, terms } = payment
  const isPermit2 = isByPermit2(payment)
  const wide = BigInt(nonce)
  const read: ContractCall = isPermit2
    ? // Permit2 stores 256 nonces per word: the upper 248 bits are the index of the word, the lower 8 the bit.
      { to: CONTRACTS.permit2, data: `${SELECTORS.nonceBitmap}${encodeWords([payer, wide >> 8n])}` }
    : { to: terms.asset, data: `${SELECTORS.authorizationState}${encodeWords([payer, nonce])}` }
  const number: ContractCall = { to: CONTRACTS.multicall3, data: SELECTORS.getBlockNumber }
  const returned = await callContract(
    chain,
    { to: CONTRACTS.multicall3, data: encodeAggregate([number, read]) },
    signal,
    at,
  )
  const [block, state] = returned === '0x' ? [] : decodeAggregate(returned)
  if (!block?.isOk || !state?.isOk || state.data === '0x')
    throw new InvalidAnswer('the chain lacks Multicall3, USDC or Permit2 at the expected address')
  const word = BigInt(state.data)
  const isUsed = isPermit2 ? ((word >> (wide & 0xffn)) & 1n) === 1n : word !== 0n
  return { isUsed, block: Number(BigInt(block.data)) }
}

/** The code of an account: `0x` without code, `0xef0100` and an address with an EIP-7702 delegate. */
export async function readCode(chain: Chain, account: Address, signal?: AbortSignal): Promise<Hex> {
  return parseHex(await chain.rpc.call('eth_getCode', [account, 'latest'], signal), 'account')
}

/** The receipt of a mined transaction, with its logs in order, or null. */
export async function readReceipt(
  chain: Chain,
  hash: Hex,
  signal?: AbortSignal,
): Promise<TransactionReceipt | null> {
  const receipt = await chain.rpc.call('eth_getTransactionReceipt', [hash], signal)
  if (receipt === null) return null
  const { logs, ...others } = receipt as TransactionReceipt
  return { ...others, logs: logs.toSorted((one, other) => Number(one.logIndex) - Number(other.logIndex)) }
}

async function readWord(chain: Chain, call: ContractCall, signal?: AbortSignal): Promise<bigint> {
  const returned = await callContract(chain, call, signal)
  // An account without code returns nothing: the token does not exist on this chain.
  if (returned === '0x') throw new InvalidAnswer('the chain has no contract at the address of USDC')
  return parseUint(returned, 'word')
}

async function callContract(
  chain: Chain,
  call: ContractCall & { readonly from?: Address; readonly gas?: Hex },
  signal?: AbortSignal,
  block: HeadTag = 'latest',
): Promise<Hex> {
  return parseHex(await chain.rpc.call('eth_call', [call, block], signal), 'call result')
}
