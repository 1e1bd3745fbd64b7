import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import {
  type RunningCommand,
  startCommand,
  withoutSettings,
} from '@tollbook/testing/commands/running-command'
import { startChatUpstream } from '@tollbook/testing/models/chat-upstream'
import { makeRunFolder } from '@tollbook/testing/run-folder'
import { findFreePort } from '@tollbook/testing/servers/free-port'
import { startPostgres } from '@tollbook/testing/state/postgres'
import { type Market, openMarket } from '../crash/market.ts'
import type { PaidService } from '../open-service-of.ts'
import { startExampleWorld } from '../paying/example-world.ts'

/** One process of the product. */
export type House = {
  /** Such as `utility`, `utility 2`, `indexer`. */
  readonly name: string
  /** What it sells, if anything. */
  readonly sells: PaidService | null
  /** Its address, which stays the same while it is down. */
  readonly url: string
  readonly isUp: boolean
  /** Whether it may be killed; the others run from start to end. */
  readonly isMortal: boolean
  readonly pid: number | undefined
  /**
   * SIGKILL, then after a pause a new process at the same address.
   * @param isOrderly as in an upgrade: SIGTERM, and the new process starts once the old one has ended
   */
  restart(isOrderly?: boolean): Promise<void>
}

/** Where a service is sold. */
export type Shop = Pick<House, 'sells' | 'url' | 'isUp'>

/** How a house is started, if not by the checkout's own code in the town's environment. */
export type Launch = {
  /** The product's main file. */
  readonly main?: string
  readonly environment?: NodeJS.ProcessEnv
}

/** Two facilitators that all sellers settle with, two indexers and two report services; all may be killed. */
export type ClusterOptions = {
  /** Run folder, which may be a file system of its own; by default one in the temporary folder. */
  readonly folder: string
  readonly stateUrl: string
  readonly ledgerUrl: string
  /** Called before each start of a house. */
  readonly launch: (house: string, port: number) => Launch | Promise<Launch>
  /** Makes one address of several, behind which a call reaches one that is up. */
  readonly spread: (urls: readonly string[]) => Promise<string>
}

/**
 * Everything that runs: a chain, a database, the servers that calls lead to, and each part of the product in
 * its own process.
 */
export type Town = {
  readonly market: Market
  readonly houses: readonly House[]
  /** Where one buys: each seller, or with several machines the one address of the sellers of each service. */
  readonly shops: readonly Shop[]
  readonly reportUrl: string
  /** Origin of the pages in the examples. */
  readonly site: string
  readonly stateUrl: string
  /** Stops everything and names the processes that had to be killed because they did not stop on request. */
  close(): Promise<readonly string[]>
}

const SOLD = ['social', 'utility', 'inference'] as const satisfies readonly PaidService[]
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
  readonly copies: number
  /** What a town of several machines has; by default one of everything that does not sell. */
  readonly cluster?: ClusterOptions
  /** Called with the final output of a process that ended by itself. */
  readonly onDeath?: (house: House, words: string) => void
}

export async function openTown(options: TownOptions): Promise<Town> {
  const { wallets, endpoints, copies, cluster, onDeath } = options
  const folder = cluster?.folder ?? makeRunFolder('soak')
  const market = await openMarket(wallets)
  const postgres = cluster ? null : await startPostgres()
  const stateUrl = cluster?.stateUrl ?? (await postgres?.createDatabase()) ?? ''
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
    ...(cluster && { TOLLBOOK_LEDGER_URL: cluster.ledgerUrl }),
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
    TOLLBOOK_TRANSCRIPTION_URL: `${world.site}/v1`,
    TOLLBOOK_IMAGE_URL: `${world.site}/v1`,
    TOLLBOOK_PRIVATE_NETWORK: 'allow',
    TOLLBOOK_UNPAID_PER_MINUTE: '1000000',
    TOLLBOOK_LOG_LEVEL: 'error',
  }
  const running = new Map<RunningCommand, string>()
  let isOver = false

  async function build(name: string, words: readonly string[], sells: PaidService | null, isMortal: boolean) {
    const port = name === 'indexer' ? indexerPort : await findFreePort()
    const portName = `TOLLBOOK_${(words[1] ?? 'indexer').toUpperCase()}_PORT`
    const start = async () => {
      const { main, environment: own } = (await cluster?.launch(name, port)) ?? {}
      const settings = { ...environment, [portName]: String(port), ...own }
      const started = await startCommand(words, settings, main)
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
      get pid() {
        return command?.pid
      },
      async restart(isOrderly = false) {
        const old = command
        command = null
        if (old) running.delete(old)
        await (isOrderly ? old?.close() : old?.kill())
        if (!isOrderly) await wait(DOWN_MS)
        if (!isOver) command = await start()
      },
    }
    return house
  }

  const houses: House[] = []
  async function buildAll(name: string, words: readonly string[], count: number, sells: PaidService | null) {
    const built: House[] = []
    for (let at = 1; at <= count; at += 1) {
      const isMortal = cluster !== undefined || sells === null || at > 1
      built.push(await build(at === 1 ? name : `${name} ${at}`, words, sells, isMortal))
    }
    houses.push(...built)
    const urls = built.map(({ url }) => url)
    return (await cluster?.spread(urls)) ?? urls[0] ?? ''
  }
  if (cluster) {
    // One of the sellers earns more within an hour of the clock than the default allows.
    environment.TOLLBOOK_FACILITATOR_GAS_PER_PAYEE = '0'
    environment.TOLLBOOK_FACILITATOR_URL = await buildAll('facilitator', ['serve', 'facilitator'], 2, null)
  }
  await buildAll('indexer', ['index'], cluster ? 2 : 1, null)
  const shops: Shop[] = []
  for (const name of SOLD) {
    const url = await buildAll(name, ['serve', name], copies, name)
    shops.push({ sells: name, url, isUp: true })
  }
  return {
    market,
    houses,
    shops: cluster ? shops : houses,
    reportUrl: await buildAll('report', ['serve', 'report'], cluster ? 2 : 1, null),
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
      await postgres?.dropDatabase(stateUrl)
      rmSync(folder, { recursive: true, force: true })
      return stubborn
    },
  }
}
