import { toQuantity } from '@tollbook/chain/hex'
import { InvalidAnswer } from '@tollbook/flow/failure'
import * as z from 'zod'
import { createPortalPost, type Portal, type PortalAccess, type PortalReceipt, toFilters } from './portal.ts'

const NAME = 'SQD'
const FIELDS = {
  block: { number: true, hash: true },
  transaction: { transactionIndex: true, hash: true, from: true },
  log: { transactionIndex: true, logIndex: true, address: true, topics: true, data: true },
}

const transaction = z.object({ transactionIndex: z.int(), hash: z.string(), from: z.string() })
const log = z.object({
  transactionIndex: z.int(),
  logIndex: z.int().min(0),
  address: z.string(),
  topics: z.array(z.string()),
  data: z.string(),
})
const blockSchema = z.object({
  header: z.object({ number: z.int(), hash: z.string() }),
  transactions: z.array(transaction).default([]),
  logs: z.array(log).default([]),
})
type Block = z.output<typeof blockSchema>

/**
 * Reads finalized blocks from a dataset of an SQD portal (https://beta.docs.sqd.dev/en/portal/evm/api). An
 * answer has a line for each block with transactions, and for the last block that it covers.
 */
export function createSqd({ url, ...access }: PortalAccess): Portal {
  const post = createPortalPost(NAME, { ...access, url: `${url}/finalized-stream` })
  return {
    name: NAME,
    async readPage({ firstBlock, endBlock, announcing }, signal) {
      const logs = toFilters(announcing).map(({ addresses, topics }) => ({
        address: addresses,
        topic0: topics,
        transaction: true,
        transactionLogs: true,
      }))
      const range = { fromBlock: firstBlock, toBlock: endBlock - 1 }
      const text = await post({ type: 'evm', ...range, fields: FIELDS, logs }, signal)
      const blocks = text.split('\n').filter(Boolean).map(parseBlock)
      return {
        receipts: blocks.flatMap(toReceipts),
        nextBlock: (blocks.at(-1)?.header.number ?? firstBlock - 1) + 1,
      }
    },
  }
}

function parseBlock(line: string): Block {
  try {
    return blockSchema.parse(JSON.parse(line))
  } catch (cause) {
    throw new InvalidAnswer(`${NAME} returned a malformed block`, { cause })
  }
}

function toReceipts({ header, transactions, logs }: Block): readonly PortalReceipt[] {
  const logsOf = Map.groupBy(logs, ({ transactionIndex }) => transactionIndex)
  return transactions.map(({ transactionIndex, hash, from }) => ({
    transactionHash: hash,
    blockHash: header.hash,
    blockNumber: toQuantity(header.number),
    from,
    logs: (logsOf.get(transactionIndex) ?? []).map(({ logIndex, address, topics, data }) => ({
      address,
      topics,
      data,
      logIndex: toQuantity(logIndex),
    })),
  }))
}
