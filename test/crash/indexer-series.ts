import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { openState } from '@tollbook/cli/commands/state/open'
import { createRandom } from '@tollbook/devchain/demo-week/random'
import { readCoverage } from '@tollbook/report/ledger/coverage/coverage'
import { openLedger } from '@tollbook/report/ledger/ledger'
import { randomChain } from '@tollbook/testing/ledger/open-test-ledger'
import { createSimulatedChain, type SimulatedChain } from '@tollbook/testing/simulated-chain/chain'
import { indexSimulated, readRows } from '@tollbook/testing/simulated-chain/index-simulated'
import { startSimulatedNode } from '@tollbook/testing/simulated-chain/node'
import { smallPlan } from '@tollbook/testing/simulated-chain/small-plan'

export type IndexerSeries = {
  readonly kills: number
  readonly seed: number
  readonly onKill?: (killed: number) => void
}

export type IndexerSeriesResult = {
  /** Rows of the ledger after the kills, and after an undisturbed run. */
  readonly rows: readonly string[]
  readonly undisturbed: readonly string[]
  readonly endBlock: number
  readonly reorganisations: number
}

const FIRST_BLOCK = 1_000
const PROGRAM = join(import.meta.dirname, 'indexer-child.ts')
/** Share of the indexers that are killed while they start, and within what time. */
const EARLY_SHARE = 0.2
const EARLY_MS = 400
/** About the duration of one chunk. */
const CHUNK_MS = 60
const MAX_CHUNKS = 4

/**
 * Kills indexers of one folder at random moments, one after the other, while the chain grows and is sometimes
 * reorganised up to 64 blocks deep; lets the last one reach the head; and indexes the same chain once without
 * disturbance.
 */
export async function killIndexers({ kills, seed, onKill }: IndexerSeries): Promise<IndexerSeriesResult> {
  const random = createRandom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-kill-'))
  const chains = [FIRST_BLOCK, FIRST_BLOCK].map((head) =>
    createSimulatedChain(smallPlan, randomChain(), head),
  )
  const [chain, calm] = chains
  if (!chain || !calm) throw new Error('two chains were made')
  const [node, calmNode] = [await startSimulatedNode(chain), await startSimulatedNode(calm)]
  const load = () => startChild([folder, node.url, String(FIRST_BLOCK)])
  let reorganisations = 0
  let spare = load()
  try {
    for (let killed = 0; killed <= kills; killed++) {
      if (killed > 0 && random() < 0.25) {
        reorganisations++
        const fromBlock = chain.head - Math.floor(random() * 64)
        for (const each of chains) each.fork(Math.max(FIRST_BLOCK, fromBlock))
      }
      const head = chain.head + 100 + Math.floor(random() * 900)
      for (const each of chains) each.head = head
      const child = spare
      await child.loaded
      if (killed < kills) spare = load()
      child.go()
      if (killed === kills) await child.atHead
      else if (random() < EARLY_SHARE) await wait(random() * EARLY_MS)
      else {
        await child.chunks(Math.floor(random() * MAX_CHUNKS))
        await wait(random() * CHUNK_MS)
      }
      await child.kill()
      if (killed < kills) onKill?.(killed + 1)
    }
    const ledgerUrl = `duckdb:${join(folder, 'ledger')}`
    const after = await readAll(folder, ledgerUrl, chain)
    const before = { urls: [calmNode.url], firstBlock: FIRST_BLOCK, ledgerUrl }
    const { rows: undisturbed } = await indexSimulated(before)
    return { ...after, undisturbed, reorganisations }
  } finally {
    await spare.kill()
    await Promise.all([node.close(), calmNode.close()])
    rmSync(folder, { recursive: true, force: true })
  }
}

async function readAll(folder: string, ledgerUrl: string, chain: SimulatedChain) {
  const genesis = String(chain.block(0)?.hash) as `0x${string}`
  const state = await openState(`sqlite:${join(folder, 'state.sqlite')}`)
  const ledger = await openLedger(ledgerUrl, genesis)
  try {
    const { attempts, endBlock } = await readCoverage({ state, chain: genesis })
    return { rows: await readRows(ledger, attempts), endBlock }
  } finally {
    await state.close()
  }
}

function startChild(words: readonly string[]) {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, [PROGRAM, ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit')
  // The process may have ended already.
  child.stdin.on('error', () => {})
  const loaded = Promise.withResolvers<void>()
  const atHead = Promise.withResolvers<void>()
  // A caller that kills it earlier does not wait for it.
  atHead.promise.catch(() => {})
  void gone.then(() => atHead.reject(new Error('the indexer ended')))
  let seen = 0
  let awaited: { readonly count: number; readonly resolve: () => void } | null = null
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === 'loaded') loaded.resolve()
    if (line === 'chunk') seen++
    if (line === 'at-head') atHead.resolve()
    // At the head no further chunk arrives.
    if (awaited && (seen >= awaited.count || line === 'at-head')) awaited.resolve()
  })
  return {
    loaded: Promise.race([loaded.promise, gone]),
    atHead: atHead.promise,
    go: () => child.stdin.write('go\n'),
    chunks: (count: number) =>
      Promise.race([
        gone,
        new Promise<void>((resolve) => {
          awaited = { count, resolve }
        }),
      ]),
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
