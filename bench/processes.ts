import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { startPostgres, whyNoPostgres } from '@tollbook/testing/state/postgres'
import { printFigure } from '../measurements/print-figure.ts'
import type { Benchmark } from './benchmark.ts'
import { measureStreams, p50And99 } from './inference/measure-streams.ts'
import { toChatSide } from './inference/sides.ts'
import { toRequest } from './load.ts'
import { createPayers } from './payers.ts'
import { openProcesses } from './processes/open-processes.ts'
import { measureInTurns } from './rounds.ts'
import { type ServerProcess, withServers } from './server-process.ts'
import { BENCH_TIER, CHAT_MODEL, toChatBody } from './servers/chat-request.ts'

const PAYERS = 500
const ONE = 'TOLLBOOK_PROCESSES=1'

/** What a second process brings on the same machine, beside the load, the database and the upstream. */
export const processes: Benchmark = {
  name: 'processes',
  summary: 'the inference service in two processes (TOLLBOOK_PROCESSES=2), against one',
  async run({ isQuick }) {
    const why = whyNoPostgres()
    if (why !== null) throw new Error(why)
    const folder = await mkdtemp(join(tmpdir(), 'tollbook-bench-'))
    const postgres = await startPostgres()
    const states = [await postgres.createState(), await postgres.createState()] as const
    let chain: DevChain | undefined
    try {
      chain = await startDevChain({ port: 0 })
      const environment = { TOLLBOOK_DATA_DIR: folder, TOLLBOOK_DEVCHAIN_PORT: new URL(chain.rpcUrl).port }
      await withServers({ stub: ['chat-stub', {}], facilitator: ['instant-facilitator', {}] }, (servers) =>
        compare({ environment, folder, states, servers, isQuick }),
      )
    } finally {
      await chain?.close()
      for (const url of states) await postgres.dropDatabase(url)
      await rm(folder, { recursive: true, force: true })
    }
  },
}

type Given = {
  readonly environment: NodeJS.ProcessEnv
  readonly folder: string
  readonly states: readonly [string, string]
  readonly servers: Readonly<Record<'stub' | 'facilitator', ServerProcess>>
  readonly isQuick: boolean
}

async function compare({ environment, folder, states, servers, isQuick }: Given): Promise<void> {
  const modelsFile = join(folder, 'models.json')
  const upstreams = [{ base_url: `${servers.stub.url}/v1`, model: CHAT_MODEL }]
  await writeFile(modelsFile, JSON.stringify({ tiers: { [BENCH_TIER]: { upstreams } } }))
  const open = (count: number, stateUrl: string) =>
    openProcesses(count, {
      ...environment,
      TOLLBOOK_STATE_URL: stateUrl,
      TOLLBOOK_MODELS_FILE: modelsFile,
      TOLLBOOK_FACILITATOR_URL: servers.facilitator.url,
      TOLLBOOK_UNPAID_PER_MINUTE: '1000000000',
    })
  const one = await open(1, states[0])
  const two = await open(2, states[1])
  try {
    const path = `/v1/chat/completions/_t/${BENCH_TIER}`
    const load = { prepare: () => [toRequest(path, {}, toChatBody())], status: 402 }
    const rounds = isQuick
      ? { rounds: 1, requests: 1_000, concurrency: 32 }
      : { rounds: 5, requests: 6_000, concurrency: 32 }
    const [alone, both] = await measureInTurns(
      [
        { ...load, name: 'one process', server: one },
        { ...load, name: 'two processes', server: two },
      ],
      rounds,
    )
    const figure = { bench: 'processes', peer: ONE }
    printFigure({
      ...figure,
      figure: '402 answers of a chat, two processes',
      unit: 'requests/s',
      value: both.perSecond,
      peerValue: alone.perSecond,
      setting: rounds,
    })
    const payers = createPayers(PAYERS)
    const streams = {
      rounds: isQuick ? 0 : 2,
      streams: 500,
      concurrency: 500,
      plan: { chunks: 50, gapMs: 100 },
    }
    const [single, pair] = await measureStreams(
      [await toChatSide('one process', one, payers), await toChatSide('two processes', two, payers)],
      streams,
    )
    const { rounds: count, streams: number, plan } = streams
    const setting = { rounds: count, streams: number, ...plan }
    for (const share of ['p50', 'p99'] as const)
      printFigure({
        ...figure,
        figure: `a word of 500 streams behind its writing, two processes, ${share}`,
        unit: 'ms, less is better',
        value: p50And99(pair.load.lateMs)[share],
        peerValue: p50And99(single.load.lateMs)[share],
        setting,
      })
  } finally {
    await one.close()
    await two.close()
  }
}
