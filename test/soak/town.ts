import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Endpoint } from '../../src/catalogue/endpoint.ts'
import type { ServiceName } from '../../src/catalogue/service.ts'
import { type Market, openMarket } from '../crash/market.ts'
import { type RunningCommand, startCommand, withoutSettings } from '../end-to-end/running-command.ts'
import { startChatUpstream } from '../models/chat-upstream.ts'
import { startExampleWorld } from '../paying/example-world.ts'
import { makeRunFolder } from '../run-folder.ts'
import { findFreePort } from '../servers/free-port.ts'
import { startPostgres } from '../state/postgres.ts'

/** One process of the product. */
export type House = {
  /** Such as `utility`, `utility 2`, `indexer`. */
  readonly name: string
  /** What it sells, if anything. */
  readonly sells: ServiceName | null
  /** Its address, which stays the same while it is down. */
  readonly url: string
  readonly isUp: boolean
  /** Whether it may be killed; the others run from start to end. */
  readonly isMortal: boolean
  /** SIGKILL, then after a pause a new process at the same address. */
  restart(): Promise<void>
}

/**
 * Everything that runs: a chain, a database, the servers that calls lead to, and each part of the product in
 * its own process.
 */
export type Town = {
  readonly market: Market
  readonly houses: readonly House[]
  readonly reportUrl: string
  /** Origin of the pages in the examples. */
  readonly site: string
  readonly stateUrl: string
  /** Stops everything and names the processes that had to be killed because they did not stop on request. */
  close(): Promise<readonly string[]>
}

const SOLD = ['social', 'utility', 'inference'] as const satisfies readonly ServiceName[]
/** Longer than the shutdown waits for open calls, on a machine that does other work too. */
const ENDS_WITHIN_MS = 90_000
/** Delay after which a supervisor notices a death. */
const DOWN_MS = 1_000
const TIERS = ['default', 'messages', ...Array.from({ length: 15 }, (_, at) => `tier-${at + 1}`)]

export type TownOptions = {
  /** Wallets that can pay. */
  readonly wallets: number
  /** The items that their examples name must exist. */
  readonly endpoints: readonly Endpoint[]
  /** Number of processes that sell the same; all but the first may be killed. */
  readonly copies: 1 | 2
  /** Called with the final output of a process that ended by itself. */
  readonly onDeath?: (house: House, words: string) => void
}

export async function openTown({ wallets, endpoints, copies, onDeath }: TownOptions): Promise<Town> {
  const folder = makeRunFolder('soak')
  const market = await openMarket(wallets)
  const postgres = await startPostgres()
  const stateUrl = await postgres.createDatabase()
  const world = await startExampleWorld(endpoints)
  const model = await startChatUpstream()
  const modelsFile = join(folder, 'models.json')
  const upstreams = [{ base_url: model.url, model: 'upstream-model' }]
  writeFileSync(
    modelsFile,
    JSON.stringify({ tiers: Object.fromEntries(TIERS.map((tier) => [tier, { upstreams }])) }),
  )
  const indexerPort = await findFreePort()
  const environment: NodeJS.ProcessEnv = {
    ...withoutSettings(),
    NODE_COMPILE_CACHE: market.compileCache,
    TOLLBOOK_DATA_DIR: folder,
    TOLLBOOK_STATE_URL: stateUrl,
    TOLLBOOK_DEVCHAIN_PORT: new URL(market.chain.rpcUrl).port,
    TOLLBOOK_INDEXER_PORT: String(indexerPort),
    // A payment names the address of its resource, which is the same for all sellers of that resource.
    TOLLBOOK_SOCIAL_BASE_URL: 'https://social.example',
    TOLLBOOK_UTILITY_BASE_URL: 'https://utility.example',
    TOLLBOOK_INFERENCE_BASE_URL: 'https://inference.example',
    TOLLBOOK_MODELS_FILE: modelsFile,
    TOLLBOOK_DNS_SERVERS: world.dns,
    TOLLBOOK_SEARXNG_URL: world.site,
    TOLLBOOK_LIBRETRANSLATE_URL: world.site,
    TOLLBOOK_IMAGE_URL: world.site,
    TOLLBOOK_IMAGE_DIALECT: 'automatic1111',
    TOLLBOOK_PRIVATE_NETWORK: 'allow',
    TOLLBOOK_UNPAID_PER_MINUTE: '1000000',
    TOLLBOOK_LOG_LEVEL: 'error',
  }
  const running = new Map<RunningCommand, string>()
  let isOver = false

  async function build(name: string, words: readonly string[], sells: ServiceName | null, isMortal: boolean) {
    const port = words[0] === 'index' ? indexerPort : await findFreePort()
    const portName = `TOLLBOOK_${(words[1] ?? 'indexer').toUpperCase()}_PORT`
    const start = async () => {
      const started = await startCommand(words, { ...environment, [portName]: String(port) })
      running.set(started, name)
      void started.ended.then((told) => {
        if (running.delete(started) && !isOver) onDeath?.(house, told)
      })
      return started
    }
    let command: RunningCommand | null = await start()
    const house: House = {
      name,
      sells,
      isMortal,
      url: `http://127.0.0.1:${port}`,
      get isUp() {
        return command !== null
      },
      async restart() {
        const old = command
        command = null
        if (old) running.delete(old)
        await old?.kill()
        await wait(DOWN_MS)
        if (!isOver) command = await start()
      },
    }
    return house
  }

  const houses: House[] = [await build('indexer', ['index'], null, true)]
  for (const name of SOLD) houses.push(await build(name, ['serve', name], name, false))
  if (copies === 2)
    for (const name of SOLD) houses.push(await build(`${name} 2`, ['serve', name], name, true))
  const report = await build('report', ['serve', 'report'], null, true)
  return {
    market,
    houses: [...houses, report],
    reportUrl: report.url,
    site: world.site,
    stateUrl,
    async close() {
      isOver = true
      const stubborn: string[] = []
      for (const [command, name] of running) {
        const timer = setTimeout(() => {
          stubborn.push(name)
          void command.kill()
        }, ENDS_WITHIN_MS)
        await command.close()
        clearTimeout(timer)
      }
      model.close()
      await world.close()
      await market.close()
      await postgres.dropDatabase(stateUrl)
      rmSync(folder, { recursive: true, force: true })
      return stubborn
    },
  }
}
