import * as z from 'zod'
import { InvalidAnswer, RetryableError } from '../../fetching/failure.ts'
import { readBlocks } from './blocks.ts'
import { type PaymentContracts, TOPIC } from './contracts.ts'
import { type FoundTransaction, findTransactions } from './logs.ts'
import type { Address, Hex } from './payment.ts'
import type { Rpc } from './rpc.ts'

/** One log of a receipt. */
export type Log = {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  /** Index in its block. */
  readonly logIndex: number
}

/** A transaction that succeeded, with its sender and every log. */
export type Receipt = {
  readonly transaction: Hex
  readonly blockNumber: number
  /** Block time in epoch seconds. */
  readonly timestamp: number
  readonly sender: Address
  readonly logs: readonly Log[]
}

const hex = z.string().regex(/^0x[0-9a-f]*$/)
const lowerHex = z
  .string()
  .toLowerCase()
  .regex(/^0x[0-9a-f]*$/)
const quantity = hex.transform(Number)
const receiptSchema = z.object({
  transactionHash: hex,
  blockHash: hex,
  blockNumber: quantity,
  from: lowerHex,
  logs: z.array(
    z.object({
      address: lowerHex,
      topics: z.array(hex),
      data: hex,
      logIndex: quantity,
      blockTimestamp: quantity.optional(),
    }),
  ),
})
type RawReceipt = z.output<typeof receiptSchema>

/**
 * The receipts of all transactions of a block range that may hold payments, in the order of the chain.
 * @throws RetryableError when the chain was reorganised meanwhile.
 */
export async function readReceipts(
  rpc: Rpc,
  range: { readonly firstBlock: number; readonly endBlock: number; readonly contracts: PaymentContracts },
  signal: AbortSignal,
): Promise<readonly Receipt[]> {
  const found = await findTransactions(rpc, range, signal)
  const requests = found.map(({ transaction }) => ({
    method: 'eth_getTransactionReceipt',
    params: [transaction],
  }))
  const answers = await rpc.batch(requests, signal)
  const raw = answers.map((answer, at) => toRawReceipt(answer, found[at]))
  const times = await readTimes(rpc, raw, signal)
  return raw.map((receipt) => toReceipt(receipt, times))
}

/** A receipt as the node gives it, for who has one at hand. @throws InvalidAnswer when malformed. */
export function parseReceipt(answer: unknown): Receipt {
  const raw = toRawReceipt(answer, undefined)
  return toReceipt(raw, new Map([[raw.blockNumber, raw.logs[0]?.blockTimestamp ?? 0]]))
}

function toRawReceipt(answer: unknown, found: FoundTransaction | undefined): RawReceipt {
  // A transaction that had a log a moment ago and has no receipt was undone.
  if (answer === null) throw new RetryableError('a transaction vanished while its block was read')
  const parsed = receiptSchema.safeParse(answer)
  if (!parsed.success) throw new InvalidAnswer('the chain RPC gave a malformed receipt')
  if (found && found.blockHash !== parsed.data.blockHash)
    throw new RetryableError('a transaction moved to another block while it was read')
  return parsed.data
}

/** Newer nodes tell the time in each log; others are asked for the blocks. */
async function readTimes(rpc: Rpc, receipts: readonly RawReceipt[], signal: AbortSignal) {
  const times = new Map<number, number>()
  for (const { blockNumber, logs } of receipts) {
    const told = logs.find((log) => log.blockTimestamp !== undefined)?.blockTimestamp
    if (told !== undefined) times.set(blockNumber, told)
  }
  const unknown = [...new Set(receipts.map(({ blockNumber }) => blockNumber))].filter(
    (number) => !times.has(number),
  )
  for (const block of await readBlocks(rpc, unknown, signal)) {
    if (!block) throw new RetryableError('a block vanished while it was read')
    times.set(block.number, block.timestamp)
  }
  return times
}

function toReceipt(raw: RawReceipt, times: ReadonlyMap<number, number>): Receipt {
  const timestamp = times.get(raw.blockNumber)
  if (timestamp === undefined) throw new InvalidAnswer(`no time is known of block ${raw.blockNumber}`)
  return {
    transaction: raw.transactionHash as Hex,
    blockNumber: raw.blockNumber,
    timestamp,
    sender: raw.from as Address,
    // The schema allows nothing but hex.
    logs: raw.logs.map((log) => ({
      address: log.address as Address,
      topics: log.topics as readonly Hex[],
      data: log.data as Hex,
      logIndex: log.logIndex,
    })),
  }
}

/** Whether a log is a transfer of an ERC-20 token; ERC-721 has the same first topic and one topic more. */
export function isTokenTransfer(log: Log): boolean {
  return log.topics[0] === TOPIC.transfer && log.topics.length === 3
}
