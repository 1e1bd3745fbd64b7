import type { HeadTag } from '@tollbook/chain/blocks'
import type { Address } from '@tollbook/chain/hex'
import { findBlockClock } from '@tollbook/verify/chain/block-clock'
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import type { PortalReader } from '@tollbook/verify/chain/fetch-receipts'
import { type BlocksStep, type Position, readStep, type Step } from '../chain/follow.ts'
import type { Nodes } from '../chain/nodes.ts'
import type { ChainOf } from '../ledger/chunk-journal.ts'
import * as coverage from '../ledger/coverage/coverage.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createPositionRecord } from './indexer-gauges.ts'

export type IndexProgress = {
  readonly firstBlock: number
  /** The first block that is still to be read. */
  readonly endBlock: number
  readonly head: number
  /** Payments written since this run began, whether or not a listing counts them. */
  readonly payments: number
}

export type Indexer = {
  index(signal: AbortSignal): Promise<Step>
  /** Reads until no block is left below the head; fetches the next blocks while the last ones are written. */
  indexToHead(signal: AbortSignal, onProgress?: (progress: IndexProgress) => void): Promise<void>
}

export type IndexerOptions = ChainOf & {
  readonly ledger: Ledger
  readonly nodes: Nodes
  readonly facilitators: ReadonlySet<Address>
  readonly head: HeadTag
  readonly isCrossChecked: boolean
  readonly now: () => Date
  /** Queried for receipts before the nodes; absent: none. */
  readonly portals?: PortalReader
}

/** Chain to ledger. A crash loses and duplicates nothing, and covered blocks are not read again. */
export function createIndexer(options: IndexerOptions): Indexer {
  const { nodes, ledger, now } = options
  const source = {
    contracts: BASE_CONTRACTS,
    facilitators: options.facilitators,
    head: options.head,
    isCrossChecked: options.isCrossChecked,
    now,
    clock: findBlockClock(nodes.genesis),
    portals: options.portals,
  }
  const read = (position: Position, signal: AbortSignal) =>
    nodes.use((node, findWitness) => readStep({ ...source, ...node, findWitness }, position, signal), signal)

  /** Rows are on disk before coverage refers to them. */
  const write = async (step: BlocksStep, signal: AbortSignal) => {
    const attempt = await coverage.beginAttempt(options, step, now())
    await ledger.insert(attempt, step.payments, signal)
    await coverage.cover(options, { ...step, attempt, payments: step.payments.length }, now())
  }

  const record = createPositionRecord(options.state, now)

  const indexToHead: Indexer['indexToHead'] = async (signal, onProgress) => {
    let position = await coverage.readPosition(options)
    let payments = 0
    const firstBlock = position.nextBlock
    const ending = new AbortController()
    const either = AbortSignal.any([signal, ending.signal])
    let reading = read(position, either)
    try {
      for (;;) {
        const step = await reading
        if (step.kind === 'at-head') return await record({ ...step, endBlock: step.head + 1 })
        if (step.kind === 'reorganised') {
          await coverage.rollBack(options, step.nextBlock, now())
          position = await coverage.readPosition(options)
          reading = read(position, either)
          continue
        }
        const checkpoints = [step.checkpoint, ...position.checkpoints]
        position = { ...position, nextBlock: step.endBlock, checkpoints }
        reading = read(position, either)
        // An error is thrown when its result is awaited; until then this prevents an unhandled rejection.
        reading.catch(() => {})
        await write(step, signal)
        payments += step.payments.length
        await record(step)
        onProgress?.({ firstBlock, endBlock: step.endBlock, head: step.head, payments })
      }
    } finally {
      ending.abort(new Error('reading ended'))
      await Promise.allSettled([reading])
    }
  }

  return {
    async index(signal) {
      const step = await read(await coverage.readPosition(options), signal)
      if (step.kind === 'reorganised') await coverage.rollBack(options, step.nextBlock, now())
      if (step.kind === 'blocks') await write(step, signal)
      return step
    },
    indexToHead,
  }
}
