import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import {
  type RunningCommand,
  runCommand,
  startCommand,
  withoutSettings,
} from '@tollbook/testing/commands/running-command'
import { startPostgres, type TestPostgres, whyNoPostgres } from '@tollbook/testing/state/postgres'
import { OPERATOR_HEADERS, OPERATOR_SETTING } from '../paying/operator-key.ts'

const skip = whyNoPostgres() ?? false
/** Only a service that never comes back takes longer. */
const PATIENCE_MS = 120_000

let chain: DevChain
let postgres: TestPostgres
let folder: string
let stateUrl: string
let environment: NodeJS.ProcessEnv

before(async () => {
  if (skip) return
  folder = mkdtempSync(join(tmpdir(), 'tollbook-several-'))
  chain = await startDevChain({ port: 0 })
  postgres = await startPostgres()
  stateUrl = await postgres.createState()
  environment = {
    ...withoutSettings(),
    TOLLBOOK_DATA_DIR: folder,
    TOLLBOOK_STATE_URL: stateUrl,
    TOLLBOOK_DEVCHAIN_PORT: new URL(chain.rpcUrl).port,
    TOLLBOOK_UTILITY_PORT: '0',
    TOLLBOOK_PROCESSES: '2',
    ...OPERATOR_SETTING,
    TOLLBOOK_LOG_LEVEL: 'error',
  }
})
after(async () => {
  await chain?.close()
  if (stateUrl) await postgres.dropDatabase(stateUrl)
  if (folder) rmSync(folder, { recursive: true, force: true })
})

test('two processes sell on one port; one that is killed comes back, and a signal ends both', {
  skip,
}, async () => {
  const service = await startCommand(['serve', 'utility'], environment)
  const url = service.addresses.utility ?? ''
  try {
    assert.ok(service.lines.some((line) => /^processes +2 on one port$/.test(line)))
    const pids = childrenOf(service.pid)
    assert.equal(pids.length, 2)

    // Connections go to the processes in turns; each sends one request.
    for (let count = 0; count < 4; count += 1) await askPrice(url)
    const challenges =
      /^tollbook_http_requests_total\{endpoint="calc",status_class="4xx",process="(\d)"\} (\d+)$/gm
    const counted = [...(await readMetrics(url)).matchAll(challenges)].map(([, name, count]) => [
      name,
      Number(count),
    ])
    assert.deepEqual(counted.toSorted(), [
      ['1', 2],
      ['2', 2],
    ])

    const paid = await runCommand(['call', '--yes', `${url}/api/calc?expr=2^10`], environment)
    // 2^10 = 1024.
    assert.match(paid.stdout, /\b1024\b/, paid.stderr)

    process.kill(pids[0] ?? 0, 'SIGKILL')
    await until(() => childrenOf(service.pid).length === 2 && !childrenOf(service.pid).includes(pids[0] ?? 0))
    await until(async () => (await readMetrics(url)).match(/^process_start_time_seconds\{/gm)?.length === 2)
    await askPrice(url)
    const last = childrenOf(service.pid)
    assert.equal(await service.close(), 0)
    assert.deepEqual(last.filter(isRunning), [])
  } finally {
    await service.kill()
  }
})

test('several processes on SQLite are refused with the setting that they need', { skip }, async () => {
  const { code, stderr } = await runCommand(['serve', 'utility'], { ...environment, TOLLBOOK_STATE_URL: '' })
  assert.equal(code, 78)
  assert.match(stderr, /TOLLBOOK_PROCESSES above 1 needs TOLLBOOK_STATE_URL on PostgreSQL/)
})

test('if the processes cannot start, the service ends with their exit code', { skip }, async () => {
  const { code, stderr } = await runCommand(['serve', 'utility'], {
    ...environment,
    TOLLBOOK_DEVCHAIN_PORT: '1',
  })
  assert.equal(code, 78)
  assert.match(stderr, /no local chain answers/)
})

/** The price of a call, on a connection of its own. */
async function askPrice(url: string): Promise<void> {
  const answer = await fetch(`${url}/api/calc?expr=1`, { headers: { connection: 'close' } })
  assert.equal(answer.status, 402)
  await answer.text()
}

async function readMetrics(url: string): Promise<string> {
  const answer = await fetch(`${url}/metrics`, { headers: { ...OPERATOR_HEADERS, connection: 'close' } })
  const text = await answer.text()
  return answer.ok ? text : ''
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const endMs = Date.now() + PATIENCE_MS; !(await isSo()); await wait(50))
    assert.ok(Date.now() < endMs, 'it does not become so')
}

/** The processes of the product that another one started; not the shell that ends it with this test. */
function childrenOf(pid: RunningCommand['pid']): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .filter((child) => programOf(child) === realpathSync(process.execPath))
    .map(Number)
}

/** Null for a process that has ended. */
function programOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch {
    return null
  }
}

function isRunning(pid: number): boolean {
  return readdirSync('/proc').includes(`${pid}`)
}
