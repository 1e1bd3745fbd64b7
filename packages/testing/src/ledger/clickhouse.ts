import { spawn } from 'node:child_process'
import { accessSync, constants, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** Two servers of one cluster: the second address of the loopback network lets both use one HTTP port. */
const HOSTS = ['127.0.0.1', '127.0.0.2'] as const
const CLUSTER = 'tollbook'
/** Ports are free when they are chosen, and another process may take them before they are used. */
const TRIES = 3

/** Why no servers can be started here, or null when they can. */
export function whyNoClickhouse(): string | null {
  if (process.env.TOLLBOOK_TEST_CLICKHOUSE_URL || findServer()) return null
  return 'no clickhouse-server is installed; set TOLLBOOK_TEST_CLICKHOUSE_URL to test another'
}

/**
 * The ledger URL of `TOLLBOOK_TEST_CLICKHOUSE_URL`, or else of two servers of our own, each a shard, that end with
 * this process.
 */
export async function startClickhouse(): Promise<string> {
  return process.env.TOLLBOOK_TEST_CLICKHOUSE_URL ?? (await startOwnCluster()).url
}

/** A cluster that belongs to one test, whose servers it may end. */
export async function startOwnCluster(): Promise<{ readonly url: string; close(): Promise<void> }> {
  for (let attempt = 1; ; attempt++) {
    const ports = await findFreePorts()
    try {
      const servers = await Promise.all(HOSTS.map((_, at) => startServer(at, ports)))
      return {
        url: `http://${HOSTS[0]}:${ports.http}/?cluster=${CLUSTER}`,
        async close() {
          await Promise.all(servers.map((end) => end()))
        },
      }
    } catch (error) {
      if (attempt === TRIES) throw error
    }
  }
}

type Ports = { readonly http: number; readonly native: readonly number[] }

function findServer(): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin']
  for (const folder of folders) {
    const file = join(folder, 'clickhouse-server')
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      // Not in this folder.
    }
  }
  return null
}

async function findFreePorts(): Promise<Ports> {
  const held: Server[] = []
  const hold = (host: string, port: number) =>
    new Promise<number>((resolve, reject) => {
      const server = createServer().once('error', reject)
      held.push(server)
      server.listen(port, host, () => {
        const address = server.address()
        resolve(typeof address === 'object' && address ? address.port : 0)
      })
    })
  try {
    const http = await hold(HOSTS[0], 0)
    await hold(HOSTS[1], http)
    return { http, native: [await hold(HOSTS[0], 0), await hold(HOSTS[1], 0)] }
  } finally {
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))))
  }
}

/** What a server of a cluster must know. */
export type ClickhousePlan = {
  /** It is made. */
  readonly folder: string
  readonly host: string
  readonly http: number
  readonly native: number
  readonly cluster: string
  /** The native ports of the replicas of each shard. */
  readonly shards: readonly (readonly { readonly host: string; readonly port: number }[])[]
  /** From where it may be asked, besides this machine, in CIDR notation. */
  readonly networks: readonly string[]
}

/** Writes the configuration of one server into its folder. */
export function writeClickhouseConfig(plan: ClickhousePlan): {
  readonly program: string
  readonly config: string
} {
  for (const name of ['data', 'tmp', 'format_schemas', 'user_files'])
    mkdirSync(join(plan.folder, name), { recursive: true })
  const config = join(plan.folder, 'config.xml')
  writeFileSync(config, renderConfig(plan))
  writeFileSync(join(plan.folder, 'users.xml'), renderUsers(plan.networks))
  return { program: findServer() ?? 'clickhouse-server', config }
}

/** Starts one server in a folder of its own, which goes when the server ends. @returns what ends it. */
async function startServer(at: number, ports: Ports): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-clickhouse-'))
  const { program, config } = writeClickhouseConfig({
    folder,
    host: HOSTS[at] ?? HOSTS[0],
    http: ports.http,
    native: ports.native[at] ?? 0,
    cluster: CLUSTER,
    shards: HOSTS.map((host, shard) => [{ host, port: ports.native[shard] ?? 0 }]),
    networks: [],
  })
  // The shell around it waits for the end of its input, so the server ends with this process in whatever way.
  // What the shell says of the killed server goes nowhere: nobody listens any more, and it would end of that.
  const script =
    '"$@" & child=$!; cat; exec 2>/dev/null; kill -KILL $child; wait $child; cd /; rm -rf "$FOLDER"'
  const server = [program, `--config-file=${config}`]
  const shell = spawn('sh', ['-c', script, 'sh', ...server], {
    env: { ...process.env, FOLDER: folder },
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
    cwd: folder,
  })
  const ended = new Promise<void>((resolve) => shell.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    let log = ''
    shell.stderr.on('data', (chunk) => {
      if (log.length < 1_000_000) log += chunk
      if (log.includes('Ready for connections')) resolve()
      // The shell lives on when the server could not start.
      if (/Application: (DB::|Net |)Exception|<Error> Application/.test(log))
        reject(new Error(`ClickHouse did not start: ${log.slice(-2000)}`))
    })
    shell.once('exit', () => reject(new Error(`ClickHouse did not start: ${log.slice(-2000)}`)))
  })
  shell.unref()
  for (const stream of [shell.stdin, shell.stderr]) if ('unref' in stream) (stream.unref as () => void)()
  return async () => {
    shell.ref()
    shell.stdin.end()
    await ended
  }
}

function renderConfig({ folder, host, http, native, cluster, shards }: ClickhousePlan): string {
  const rendered = shards.map((replicas) => {
    const inside = replicas.map(
      ({ host: replica, port }) => `<replica><host>${replica}</host><port>${port}</port></replica>`,
    )
    return `<shard>${inside.join('')}</shard>`
  })
  return `<yandex>
  <logger><level>information</level><console>1</console></logger>
  <listen_host>${host}</listen_host>
  <http_port>${http}</http_port>
  <tcp_port>${native}</tcp_port>
  <path>${folder}/data/</path>
  <tmp_path>${folder}/tmp/</tmp_path>
  <user_files_path>${folder}/user_files/</user_files_path>
  <format_schema_path>${folder}/format_schemas/</format_schema_path>
  <users_config>${folder}/users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <remote_servers><${cluster}>${rendered.join('')}</${cluster}></remote_servers>
</yandex>
`
}

function renderUsers(networks: readonly string[]): string {
  const allowed = ['127.0.0.0/8', ...networks].map((network) => `<ip>${network}</ip>`)
  return `<yandex>
  <profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
  <users><default>
    <password></password>
    <networks>${allowed.join('')}</networks>
    <profile>default</profile>
    <quota>default</quota>
  </default></users>
  <quotas><default></default></quotas>
</yandex>
`
}
