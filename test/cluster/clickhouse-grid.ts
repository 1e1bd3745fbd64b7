import { setTimeout as wait } from 'node:timers/promises'
import { writeClickhouseConfig } from '@tollbook/testing/ledger/clickhouse'
import type { Island } from './network.ts'
import { createServerProcess, type ServerProcess } from './server-process.ts'

/** Two shards of two replicas each. */
export type ClickhouseGrid = {
  readonly url: string
  readonly islands: readonly Island[]
  /** Both replicas of a shard are killed and return after a while. */
  loseShard(shard: number, ms: number): Promise<void>
  /** One replica is killed and returns after a while. */
  loseReplica(at: number, ms: number): Promise<void>
  close(): Promise<void>
}

const HTTP = 8123
const NATIVE = 9000
const CLUSTER = 'tollbook'

/** @param islands four: those of the first shard, then those of the second */
export async function startClickhouseGrid(
  folder: string,
  islands: readonly Island[],
  range: string,
): Promise<ClickhouseGrid> {
  const replicas = islands.map(({ address }) => ({ host: address, port: NATIVE }))
  const shards = [replicas.slice(0, 2), replicas.slice(2)]
  const servers = islands.map(({ address, runner }, at): ServerProcess => {
    const { program, config } = writeClickhouseConfig({
      folder: `${folder}/clickhouse-${at + 1}`,
      host: address,
      http: HTTP,
      native: NATIVE,
      cluster: CLUSTER,
      shards,
      networks: [range],
    })
    return createServerProcess({
      log: `${folder}/clickhouse-${at + 1}.log`,
      words: () => [...runner, program, `--config-file=${config}`],
      environment: { ...process.env },
      ready: /Ready for connections/,
    })
  })
  await Promise.all(servers.map((server) => server.start()))
  const lose = async (lost: readonly (ServerProcess | undefined)[], ms: number) => {
    await Promise.all(lost.map((server) => server?.kill()))
    await wait(ms)
    await Promise.all(lost.map((server) => server?.start()))
  }
  return {
    url: `http://${islands[0]?.address}:${HTTP}/?cluster=${CLUSTER}`,
    islands,
    loseShard: (shard, ms) => lose(servers.slice(shard * 2, shard * 2 + 2), ms),
    loseReplica: (at, ms) => lose([servers[at]], ms),
    async close() {
      await Promise.all(servers.map((server) => server.kill()))
    },
  }
}
