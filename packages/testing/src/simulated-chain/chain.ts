import { CONTRACTS } from '@tollbook/chain/contracts'
import type { Address, Hex } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import { TOPIC } from '@tollbook/chain/topics'
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'

/** One transfer, by the way of paying: of USDC, by an authorization, a proxy or plainly; or of another token. */
export type SimulatedPayment = {
  readonly buyer: Address
  readonly merchant: Address
  /** Micro-USDC. */
  readonly amount: number
  readonly by: 'authorization' | 'permit2' | 'transfer' | 'other token'
}

/** Several payments in one transaction are a batch. */
export type SimulatedTransaction = {
  readonly sender: Address
  readonly payments: readonly SimulatedPayment[]
}

/** What happens in each block; the same block and fork always give the same. */
export type ChainPlan = (block: number, fork: number) => readonly SimulatedTransaction[]

export type RawLog = {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockHash: Hex
  readonly blockNumber: Hex
  readonly transactionHash: Hex
  readonly transactionIndex: Hex
  readonly logIndex: Hex
  readonly removed: false
}
export type RawReceipt = {
  readonly transactionHash: Hex
  readonly from: Address
  readonly logs: readonly RawLog[]
}

/** A chain that is computed, not stored, as JSON-RPC shows it: Base's clock, no signatures, no state. */
export type SimulatedChain = {
  /** Number of the newest block. */
  head: number
  /** From this block on, the chain is replaced by another. */
  fork(fromBlock: number): void
  block(number: number): Readonly<Record<string, unknown>> | null
  /** Logs with one of these first topics, of blocks up to the head. */
  logs(firstBlock: number, lastBlock: number, topics: readonly unknown[]): RawLog[]
  receipts(block: number): readonly RawReceipt[]
  receipt(transaction: string): RawReceipt | null
}

const PROXY = CONTRACTS.exactPermit2Proxy.toLowerCase() as Address
const CACHED_BLOCKS = 2_048
const OTHER_TOKEN = `0x${'99'.repeat(20)}` as const
/** As long as a real one: 256 bytes. */
const BLOOM = `0x${'0'.repeat(512)}`

/** @param seed makes the hashes of two chains with the same plan differ in block 0 alone. */
export function createSimulatedChain(plan: ChainPlan, seed: Hex, head: number): SimulatedChain {
  const forks: number[] = []
  const cache = new Map<number, readonly RawReceipt[]>()
  const forkOf = (block: number) => forks.filter((fromBlock) => fromBlock <= block).length
  const hashOf = (block: number) =>
    block === 0 ? seed : toHash(`b10c${hex(block, 12)}${hex(forkOf(block), 8)}`)

  const receiptsOf = (number: number): readonly RawReceipt[] => {
    const known = cache.get(number)
    if (known) return known
    if (cache.size >= CACHED_BLOCKS) cache.clear()
    const fork = forkOf(number)
    let logIndex = 0
    const made = plan(number, fork).map((transaction, index) => {
      const place = {
        blockHash: hashOf(number),
        blockNumber: quantity(number),
        transactionHash: toHash(`7a${hex(number, 12)}${hex(index, 8)}${hex(fork, 8)}`),
        transactionIndex: quantity(index),
      } as const
      const logs = transaction.payments
        .flatMap(toLogs)
        .map((log): RawLog => ({ ...log, ...place, logIndex: quantity(logIndex++), removed: false }))
      const gas = { cumulativeGasUsed: '0x400021', gasUsed: '0x191dc', effectiveGasPrice: '0x5b8d80' }
      const fees = { l1GasPrice: '0xe', l1GasUsed: '0xd70', l1Fee: '0xc2' }
      const ends = { from: transaction.sender, to: BASE_CONTRACTS.usdc, contractAddress: null }
      return { type: '0x2', status: '0x1', logsBloom: BLOOM, ...place, ...gas, ...fees, ...ends, logs }
    })
    cache.set(number, made)
    return made
  }

  return {
    head,
    fork(fromBlock) {
      forks.push(fromBlock)
      cache.clear()
    },
    block(number) {
      if (number > this.head) return null
      const timestamp = quantity(BASE.genesisSeconds + BASE.blockSeconds * number)
      const transactions = receiptsOf(number).map(toTransaction)
      return { number: quantity(number), hash: hashOf(number), timestamp, logsBloom: BLOOM, transactions }
    },
    logs(firstBlock, lastBlock, topics) {
      const logs: RawLog[] = []
      for (let number = firstBlock; number <= Math.min(lastBlock, this.head); number++)
        for (const receipt of receiptsOf(number))
          for (const log of receipt.logs) if (topics.includes(log.topics[0])) logs.push(log)
      return logs
    },
    receipts: receiptsOf,
    receipt(transaction) {
      const [number, index] = [transaction.slice(4, 16), transaction.slice(16, 24)].map((text) =>
        Number.parseInt(text, 16),
      )
      if (number === undefined || index === undefined || number > this.head) return null
      const receipt = receiptsOf(number)[index]
      return receipt?.transactionHash === transaction ? receipt : null
    },
  }
}

/** With calldata as long as that of `transferWithAuthorization`. */
function toTransaction({ transactionHash, from }: RawReceipt) {
  return {
    hash: transactionHash,
    from,
    to: BASE_CONTRACTS.usdc,
    input: `0x${'0'.repeat(584)}`,
    value: '0x0',
    type: '0x2',
    chainId: quantity(BASE.chainId),
    r: toHash(''),
    s: toHash(''),
  }
}

type BareLog = Pick<RawLog, 'address' | 'topics' | 'data'>

function toLogs({ buyer, merchant, amount, by }: SimulatedPayment): readonly BareLog[] {
  const transfer = {
    address: BASE_CONTRACTS.usdc,
    topics: [TOPIC.transfer, toTopic(buyer), toTopic(merchant)],
    data: toHash(hex(amount, 64)),
  }
  if (by === 'transfer') return [transfer]
  if (by === 'other token') return [{ ...transfer, address: OTHER_TOKEN }]
  if (by === 'permit2') return [transfer, { address: PROXY, topics: [TOPIC.settled], data: '0x' }]
  const nonce = toHash(`${hex(amount, 16)}${buyer.slice(2, 34)}`)
  const used = {
    address: BASE_CONTRACTS.usdc,
    topics: [TOPIC.authorizationUsed, toTopic(buyer), nonce],
    data: '0x',
  } as const
  return [used, transfer]
}

function toTopic(address: Address): Hex {
  return `0x${'0'.repeat(24)}${address.slice(2)}`
}

function toHash(digits: string): Hex {
  return `0x${digits.padEnd(64, '0')}`
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

function quantity(value: number): Hex {
  return `0x${value.toString(16)}`
}
