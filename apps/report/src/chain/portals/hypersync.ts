import { toQuantity } from '@tollbook/chain/hex'
import { InvalidAnswer } from '@tollbook/flow/failure'
import * as z from 'zod'
import { createPortalPost, type Portal, type PortalAccess, type PortalReceipt, toFilters } from './portal.ts'

const NAME = 'HyperSync'
const TOPICS = ['topic0', 'topic1', 'topic2', 'topic3'] as const
const FIELDS = {
  block: ['number', 'hash'],
  transaction: ['block_number', 'hash', 'from'],
  log: ['block_number', 'transaction_hash', 'log_index', 'address', 'data', ...TOPICS],
}

const block = z.object({ number: z.int(), hash: z.string() })
const transaction = z.object({ block_number: z.int(), hash: z.string(), from: z.string() })
const topic = z.string().nullish()
const log = z.object({
  block_number: z.int(),
  transaction_hash: z.string(),
  log_index: z.int().min(0),
  address: z.string(),
  data: z.string().nullish(),
  topic0: topic,
  topic1: topic,
  topic2: topic,
  topic3: topic,
})
const answerSchema = z.object({
  next_block: z.int(),
  data: z.array(
    z.object({
      blocks: z.array(block).default([]),
      transactions: z.array(transaction).default([]),
      logs: z.array(log).default([]),
    }),
  ),
})
type Answer = z.output<typeof answerSchema>

/**
 * Reads transactions with an announcing log, and all of their logs, from Envio HyperSync
 * (https://docs.envio.dev/docs/HyperSync/hypersync-curl-examples).
 */
export function createHyperSync({ url, ...access }: PortalAccess): Portal {
  const post = createPortalPost(NAME, { ...access, url: `${url}/query` })
  return {
    name: NAME,
    async readPage({ firstBlock, endBlock, announcing }, signal) {
      const logs = toFilters(announcing).map(({ addresses, topics }) => ({
        address: addresses,
        topics: [topics],
      }))
      const range = { from_block: firstBlock, to_block: endBlock }
      const text = await post({ ...range, logs, join_mode: 'JoinAll', field_selection: FIELDS }, signal)
      const { data, next_block: nextBlock } = parseAnswer(text)
      return { receipts: toReceipts(data), nextBlock }
    },
  }
}

function toReceipts(parts: Answer['data']): readonly PortalReceipt[] {
  const hashes = new Map(parts.flatMap(({ blocks }) => blocks).map(({ number, hash }) => [number, hash]))
  const logsOf = Map.groupBy(
    parts.flatMap(({ logs }) => logs),
    ({ transaction_hash: hash }) => hash,
  )
  const transactions = parts.flatMap((part) => part.transactions)
  return transactions.map(({ block_number: number, hash, from }) => ({
    transactionHash: hash,
    blockHash: hashes.get(number),
    blockNumber: toQuantity(number),
    from,
    logs: (logsOf.get(hash) ?? []).map((log) => ({
      address: log.address,
      data: log.data ?? '0x',
      logIndex: toQuantity(log.log_index),
      topics: TOPICS.map((name) => log[name]).filter((topic) => topic != null),
    })),
  }))
}

function parseAnswer(text: string): Answer {
  try {
    return answerSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw new InvalidAnswer(`${NAME} returned a malformed answer`, { cause })
  }
}
