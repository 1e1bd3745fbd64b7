import { InvalidAnswer, RetryableError } from '@tollbook/flow/failure'
import { announcingEvents, type PaymentContracts } from '@tollbook/verify/chain/contracts'
import type { PortalReader } from '@tollbook/verify/chain/fetch-receipts'
import type { FoundTransaction } from '@tollbook/verify/chain/logs'
import { decodeReceipt, type Receipt } from '@tollbook/verify/chain/receipts'
import type { Portal, PortalReceipt } from './portal.ts'

/** What happened to chunks of transactions that were requested from a portal. */
export type PortalOutcome = 'read' | 'rejected' | 'failed'

export type PortalEvent = {
  readonly portal: string
  readonly outcome: PortalOutcome
  /** Why the chunk is read from the node instead; absent if the portal's is used. */
  readonly error: unknown
}

type PortalReaderOptions = {
  /** In order of preference. */
  readonly portals: readonly Portal[]
  readonly contracts: PaymentContracts
  readonly onChunk: (event: PortalEvent) => Promise<void>
}

/** Below that, a portal, which lags behind the head, saves few requests. */
const MIN_TRANSACTIONS = 50
/** Bounds a portal that returns little in each answer. */
const MAX_PAGES = 100
/** A portal that failed is tried again after 1, 2, 4 and more chunks. */
const MAX_CHUNKS_AT_REST = 64

/**
 * Reads receipts from portals, and uses a chunk only if each of its receipts has the block hash and the
 * announcing logs that the node returned. What a portal does not have yet is left out.
 */
export function createPortalReader({ portals, contracts, onChunk }: PortalReaderOptions): PortalReader {
  const states = portals.map((portal) => ({ portal, failures: 0, rest: 0 }))
  return {
    async read(found, signal) {
      if (found.length < MIN_TRANSACTIONS) return null
      const state = states.find((one) => one.rest === 0)
      for (const one of states) one.rest = Math.max(0, one.rest - 1)
      if (!state) return null
      const close = (outcome: PortalOutcome, error?: unknown) => {
        state.failures = outcome === 'read' ? 0 : state.failures + 1
        state.rest = outcome === 'read' ? 0 : Math.min(MAX_CHUNKS_AT_REST, 2 ** (state.failures - 1))
        return onChunk({ portal: state.portal.name, outcome, error })
      }
      let raw: ReadonlyMap<unknown, PortalReceipt>
      try {
        raw = await readAll(state.portal, found, contracts, signal)
        if (raw.size === 0) throw new InvalidAnswer(`${state.portal.name} has none of the transactions`)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof RetryableError || error instanceof InvalidAnswer)) throw error
        await close('failed', error)
        return null
      }
      try {
        const receipts = new Map<Receipt['transaction'], Receipt>()
        for (const one of found) {
          const receipt = raw.get(one.transaction)
          if (receipt) receipts.set(one.transaction, decodeReceipt(receipt, contracts, one))
        }
        const differs = new InvalidAnswer(`${state.portal.name} and the chain RPC disagree about a receipt`)
        return { receipts, close: (isSame) => (isSame ? close('read') : close('rejected', differs)) }
      } catch (error) {
        if (!(error instanceof RetryableError || error instanceof InvalidAnswer)) throw error
        await close('rejected', error)
        return null
      }
    },
  }
}

async function readAll(
  portal: Portal,
  found: readonly FoundTransaction[],
  contracts: PaymentContracts,
  signal: AbortSignal,
): Promise<ReadonlyMap<unknown, PortalReceipt>> {
  const announcing = announcingEvents(contracts)
  const wanted = new Set<unknown>(found.map(({ transaction }) => transaction))
  const receipts = new Map<unknown, PortalReceipt>()
  const endBlock = (found.at(-1)?.blockNumber ?? -1) + 1
  let firstBlock = found[0]?.blockNumber ?? 0
  for (let page = 0; page < MAX_PAGES && firstBlock < endBlock; page++) {
    const answer = await portal.readPage({ firstBlock, endBlock, announcing }, signal)
    for (const receipt of answer.receipts)
      if (wanted.has(receipt.transactionHash)) receipts.set(receipt.transactionHash, receipt)
    // It has no further blocks yet.
    if (answer.nextBlock <= firstBlock) break
    firstBlock = answer.nextBlock
  }
  return receipts
}
