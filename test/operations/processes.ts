import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { DEV_CLIENT_KEYS, devPayTo } from '@tollbook/chain/dev-accounts'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { readSettlement } from '@tollbook/pay/offer'
import { payAndCall } from '@tollbook/pay/pay'
import {
  type RunningCommand,
  startCommand,
  withoutSettings,
} from '@tollbook/testing/commands/running-command'
import { findFreePort } from '@tollbook/testing/servers/free-port'
import { startPostgres, type TestPostgres, whyNoPostgres } from '@tollbook/testing/state/postgres'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'

const skip = whyNoPostgres() ?? false
/** A payment may take so long to its report: two blocks, an indexing and a publication. */
const REPORTED_WITHIN_MS = 30_000

let chain: DevChain
let postgres: TestPostgres
let folder: string
let stateUrl: string
let environment: NodeJS.ProcessEnv
const running: RunningCommand[] = []

before(async () => {
  if (skip) return
  folder = mkdtempSync(join(tmpdir(), 'tollbook-processes-'))
  chain = await startDevChain({ port: 0 })
  postgres = await startPostgres()
  stateUrl = await postgres.createDatabase()
  const [report, utility, indexer] = await Promise.all([findFreePort(), findFreePort(), findFreePort()])
  environment = {
    ...withoutSettings(),
    TOLLBOOK_DATA_DIR: folder,
    TOLLBOOK_STATE_URL: stateUrl,
    TOLLBOOK_DEVCHAIN_PORT: new URL(chain.rpcUrl).port,
    TOLLBOOK_REPORT_PORT: String(report),
    TOLLBOOK_UTILITY_PORT: String(utility),
    TOLLBOOK_SOCIAL_PORT: '0',
    TOLLBOOK_INFERENCE_PORT: '0',
    TOLLBOOK_FACILITATOR_PORT: '0',
    TOLLBOOK_INDEXER_PORT: String(indexer),
    TOLLBOOK_PUBLISH_SECONDS: '1',
    TOLLBOOK_LOG_LEVEL: 'warn',
  }
})
after(async () => {
  for (const each of running) await each.close()
  await chain?.close()
  await postgres?.dropDatabase(stateUrl)
  if (folder) rmSync(folder, { recursive: true, force: true })
})

test('processes of their own sell, index and report on one state, and the end of one is not that of others', {
  skip,
}, async () => {
  const [indexer, report, utility] = await Promise.all([
    start(['index']),
    start(['serve', 'report']),
    start(['serve', 'utility']),
  ])
  // A second process sells the same on the same state, with the same facilitator's key.
  const second = await start(['serve', 'utility'], { TOLLBOOK_UTILITY_PORT: '0' })
  assert.notEqual(second.addresses.utility, utility.addresses.utility)
  const transactions = [await pay(utility), await pay(second)]
  await untilReported(report, 2)
  assert.deepEqual(await readTransactions(report), transactions)

  await indexer.kill()
  // What is published is served on; the payments behind it honestly are not.
  assert.equal((await readReport(report))?.tx, 2)
  const refused = await fetch(evidenceUrl(report))
  assert.equal(refused.status, 503)
  assert.equal(((await refused.json()) as { code: string }).code, 'unavailable')
  assert.ok(refused.headers.get('retry-after'))
  transactions.push(await pay(utility))

  await start(['index'])
  await untilReported(report, 3)
  assert.deepEqual(await readTransactions(report), transactions)
})

async function start(words: readonly string[], change: NodeJS.ProcessEnv = {}): Promise<RunningCommand> {
  const command = await startCommand(words, { ...environment, ...change })
  running.push(command)
  return command
}

/** @returns the transaction that settled the call. */
async function pay({ addresses }: RunningCommand): Promise<string> {
  const outcome = await payAndCall({
    request: { url: `${addresses.utility}/api/calc?expr=2%2B3`, method: 'GET', headers: new Headers() },
    key: DEV_CLIENT_KEYS[0],
    rpcUrl: chain.rpcUrl,
    max: 10_000n,
    confirm: () => Promise.resolve(true),
    onRetry: () => {},
    signal: AbortSignal.timeout(30_000),
  })
  assert(outcome.kind === 'answered')
  const settlement = readSettlement(outcome.response)
  assert(settlement?.success)
  return settlement.transaction
}

async function readReport({ addresses }: RunningCommand): Promise<MerchantReport | null> {
  const response = await fetch(`${addresses.report}/merchants/base/${devPayTo.utility.toLowerCase()}.json`)
  return response.ok ? ((await response.json()) as MerchantReport) : null
}

async function untilReported(report: RunningCommand, payments: number): Promise<void> {
  const untilMs = Date.now() + REPORTED_WITHIN_MS
  while ((await readReport(report))?.tx !== payments) {
    assert.ok(Date.now() < untilMs, 'the payments did not arrive in the report')
    await wait(100)
  }
}

function evidenceUrl({ addresses }: RunningCommand): string {
  return `${addresses.report}/merchants/base/${devPayTo.utility.toLowerCase()}/payments.csv`
}

async function readTransactions(report: RunningCommand): Promise<readonly (string | undefined)[]> {
  const response = await fetch(evidenceUrl(report))
  assert.equal(response.status, 200)
  const [, ...lines] = (await response.text()).trim().split('\r\n')
  return lines.map((line) => line.split(',')[3])
}
