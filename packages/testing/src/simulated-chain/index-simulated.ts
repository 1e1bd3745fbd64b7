import { loadFacilitators } from '@tollbook/report/chain/facilitator-file'
import { type NodeTrouble, openNodes } from '@tollbook/report/chain/nodes'
import { readCoverage, startCoverage } from '@tollbook/report/ledger/coverage/coverage'
import { type Ledger, openLedger } from '@tollbook/report/ledger/ledger'
import { createIndexer, type IndexProgress } from '@tollbook/report/pipeline/indexing'
import { runLoop } from '@tollbook/report/pipeline/run-loop'
import pino from 'pino'
import { testLedgerUrl } from '../ledger/open-test-ledger.ts'
import { openTestState } from '../state/open-test-state.ts'

export type IndexedChain = {
  /** Every covered row of the ledger as text, in the order of the chain. */
  readonly rows: readonly string[]
  readonly firstBlock: number
  readonly endBlock: number
  readonly troubles: readonly NodeTrouble[]
}

export type Simulated = {
  readonly urls: readonly string[]
  readonly firstBlock: number
  readonly timeoutMs?: number
  /** Default: the ledger of this test. */
  readonly ledgerUrl?: string
  readonly isCrossChecked?: boolean
  readonly onProgress?: (progress: IndexProgress) => void
  /** What happens when the head is reached; it is indexed once more afterwards. */
  readonly atHead?: () => void
}

/** Indexes a simulated chain up to its head, with a state and a table of its own, and reads back what is covered. */
export async function indexSimulated(options: Simulated): Promise<IndexedChain> {
  const { signal } = new AbortController()
  const logger = pino({ level: 'silent' })
  const troubles: NodeTrouble[] = []
  const nodes = await openNodes(
    {
      urls: options.urls,
      chainId: 8453,
      ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
      onTrouble: (trouble) => troubles.push(trouble),
    },
    signal,
  )
  const chain = nodes.genesis.hash
  const ledger = await openLedger(options.ledgerUrl ?? testLedgerUrl(), chain)
  const state = await openTestState()
  try {
    await startCoverage({ state, chain }, options.firstBlock, new Date())
    const indexer = createIndexer({
      state,
      chain,
      ledger,
      nodes,
      facilitators: loadFacilitators().addresses,
      head: 'safe',
      isCrossChecked: options.isCrossChecked ?? false,
      now: () => new Date(),
    })
    const reach = async () => {
      const arrival = new AbortController()
      const work = async (signal: AbortSignal) => {
        await indexer.indexToHead(signal, options.onProgress)
        arrival.abort()
      }
      await runLoop({ work, everyMs: 0, name: 'indexing', logger }, arrival.signal)
    }
    await reach()
    options.atHead?.()
    if (options.atHead) await reach()
    const { firstBlock, endBlock, attempts } = await readCoverage({ state, chain })
    return { rows: await readRows(ledger, attempts), firstBlock, endBlock, troubles }
  } finally {
    await state.close()
  }
}

/** The rows of some attempts as text, in the order of the chain. */
export async function readRows(ledger: Ledger, attempts: readonly number[]): Promise<readonly string[]> {
  const rows = await ledger.rows(
    'SELECT block, log_index, ts, lower(hex(tx)), lower(hex(buyer)), lower(hex(merchant)), amount, ' +
      `lower(hex(facilitator)), evidence FROM ${ledger.table} ` +
      `WHERE attempt IN (${attempts.join(', ')}) ORDER BY block, log_index`,
    new AbortController().signal,
  )
  return rows.map((row) => row.join(' '))
}
