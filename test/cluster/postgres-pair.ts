import { execFile, execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { preparePostgres, serverUser } from '@tollbook/testing/state/postgres'
import pg from 'pg'
import type { Island } from './network.ts'
import { type Relay, startRelay } from './relay.ts'
import { createServerProcess, type ServerProcess } from './server-process.ts'

/** A primary and a synchronous standby behind one address: nothing that was committed is lost with either. */
export type PostgresPair = {
  /** Of the primary, whichever it is. */
  readonly url: string
  /** The primary's host. */
  readonly primary: Island
  readonly standby: Island
  /** The primary is killed and the standby promoted; the old primary returns as the standby. */
  failOver(): Promise<void>
  /** The standby is killed; commits wait until it is no longer expected; it returns after a while. */
  loseStandby(ms: number): Promise<void>
  /** The primary's file system has no block left for a while; should it end of that, it is started again. */
  fillDisk(ms: number): Promise<void>
  /** Every flush of the write-ahead log takes longer for a while. */
  slowDisk(ms: number, delayMs: number): Promise<void>
  close(): Promise<void>
}

const PORT = 5432
const DATABASE = 'tollbook'
/** Of each server's file system, which is in memory. */
const DISK = '2g'
/** Delay after which a supervisor notices a death. */
const NOTICED_MS = 1_000
const execute = promisify(execFile)

type Node = { readonly island: Island; readonly mount: string; readonly data: string; server: ServerProcess }

export async function startPostgresPair(
  folder: string,
  [first, second]: readonly [Island, Island],
  range: string,
): Promise<PostgresPair> {
  const { binaries, cluster } = preparePostgres()
  const nodes = [first, second].map((island, at) => openNode(island, join(folder, `postgres-${at + 1}`)))
  let [primary, standby] = nodes as [Node, Node]
  let relay: Relay | null = null

  function openNode(island: Island, mount: string): Node {
    const data = join(mount, 'data')
    mkdirSync(mount)
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=0755`, 'none', mount])
    const settings = [
      'listen_addresses=*',
      'unix_socket_directories=',
      'max_connections=300',
      'shared_buffers=64MB',
      'wal_level=replica',
      'wal_keep_size=512MB',
      'max_wal_size=256MB',
      'wal_sender_timeout=5s',
      'wal_receiver_timeout=5s',
    ]
    const server = createServerProcess({
      log: `${mount}.log`,
      environment: { PATH: process.env.PATH, LC_ALL: 'C' },
      ready: /ready to accept (?:read-only )?connections/,
      words: () => [
        ...island.runner,
        ...asServerUser(),
        join(binaries, 'postgres'),
        '-D',
        data,
        ...[...settings, `primary_conninfo=host=${other(island).address} port=${PORT} user=postgres`].flatMap(
          (one) => ['-c', one],
        ),
      ],
    })
    return { island, mount, data, server }
  }
  const other = (island: Island) => (island === first ? second : first)

  async function query(node: Node, ...statements: readonly string[]): Promise<pg.QueryResult[]> {
    const client = await connect(node)
    try {
      const results: pg.QueryResult[] = []
      for (const statement of statements) results.push(await client.query(statement))
      return results
    } finally {
      await client.end().catch(() => {})
    }
  }

  async function set(name: string, value: string): Promise<void> {
    await query(primary, `alter system set ${name} = '${value}'`, 'select pg_reload_conf()')
  }

  /** Copies the primary to the standby's disk while it runs, starts it, and waits until commits wait for it. */
  async function attachStandby(): Promise<void> {
    rmSync(standby.data, { recursive: true, force: true })
    const client = await connect(primary)
    try {
      await client.query(`select pg_backup_start('standby', true)`)
      // A file that goes meanwhile is in the log.
      await execute('cp', ['-a', primary.data, standby.data]).catch(() => {})
      const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
      rmSync(join(standby.data, 'postmaster.pid'), { force: true })
      rmSync(join(standby.data, 'pg_replslot'), { recursive: true, force: true })
      mkdirSync(join(standby.data, 'pg_replslot'))
      writeFileSync(join(standby.data, 'backup_label'), rows[0]?.labelfile)
      writeFileSync(join(standby.data, 'standby.signal'), '')
    } finally {
      await client.end()
    }
    own(standby.data)
    await standby.server.start()
    await awaitStreaming()
    await set('synchronous_standby_names', '*')
  }

  async function awaitStreaming(): Promise<void> {
    for (let attempt = 0; attempt < 120; attempt += 1) {
      const [result] = await query(primary, `select from pg_stat_replication where state = 'streaming'`)
      if (result?.rowCount) return
      await wait(250)
    }
    throw new Error('the standby does not follow the primary')
  }

  execFileSync('cp', ['-a', cluster, primary.data])
  appendFileSync(
    join(primary.data, 'pg_hba.conf'),
    `host all all ${range} trust\nhost replication all ${range} trust\n`,
  )
  own(primary.data)
  await primary.server.start()
  await query(primary, `create database ${DATABASE}`)
  await attachStandby()
  relay = await startRelay(PORT, primary.island.address)
  return {
    url: `postgres://postgres@127.0.0.1:${relay.port}/${DATABASE}`,
    get primary() {
      return primary.island
    },
    get standby() {
      return standby.island
    },
    async failOver() {
      await primary.server.kill()
      await wait(NOTICED_MS)
      ;[primary, standby] = [standby, primary]
      await query(primary, 'select pg_promote(true, 30)')
      await set('synchronous_standby_names', '')
      relay?.aim(primary.island.address)
      await attachStandby()
    },
    async loseStandby(ms) {
      await standby.server.kill()
      await wait(NOTICED_MS)
      await set('synchronous_standby_names', '')
      await wait(ms)
      await standby.server.start()
      await awaitStreaming()
      await set('synchronous_standby_names', '*')
    },
    async fillDisk(ms) {
      const filler = join(primary.mount, 'filler')
      const { bavail, bsize } = statfsSync(primary.mount)
      execFileSync('fallocate', ['-l', String(bavail * bsize), filler])
      await wait(ms)
      rmSync(filler)
      await wait(NOTICED_MS)
      await primary.server.start()
      await awaitStreaming()
    },
    async slowDisk(ms, delayMs) {
      await set('commit_delay', String(delayMs * 1_000))
      await set('commit_siblings', '0')
      await wait(ms)
      await set('commit_delay', '0')
    },
    async close() {
      relay?.close()
      for (const { server, mount } of nodes) {
        await server.kill()
        // Its children end once they notice that it has gone.
        for (let attempt = 0; attempt < 20; attempt += 1) {
          try {
            execFileSync('umount', [mount], { stdio: 'ignore' })
            break
          } catch {
            await wait(250)
          }
        }
      }
    },
  }
}

async function connect({ island }: Node): Promise<pg.Client> {
  const client = new pg.Client({ host: island.address, port: PORT, user: 'postgres', database: 'postgres' })
  // A server that is killed breaks the connection; the next statement fails.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** PostgreSQL refuses root. */
function asServerUser(): readonly string[] {
  const { uid, gid } = serverUser()
  return uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
}

function own(data: string): void {
  const { uid, gid } = serverUser()
  if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, data])
}
