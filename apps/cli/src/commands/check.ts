import { existsSync } from 'node:fs'
import { readBlock } from '@tollbook/chain/blocks'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { ConfigError } from '@tollbook/flow/config-error'
import { UsageError } from '@tollbook/flow/usage-error'
import type { App, Check } from '@tollbook/runtime/app'
import { findReadChain, playMoney, TEST_MONEY } from '@tollbook/runtime/chain/chain-setting'
import type { Finding } from '@tollbook/runtime/check/finding'
import { type Config, loadConfig, withServices } from '@tollbook/runtime/config'
import type { Part } from '@tollbook/runtime/places/parts'
import { nameState, stateUrlOf } from '@tollbook/runtime/places/state-url'
import { withStateUrl } from '@tollbook/runtime/state/store'
import { findAllApps, findApp, findPaidApps, PAID_APPS } from './apps.ts'
import { checkFacilitator } from './check/facilitator.ts'
import { checkFolder } from './check/folder.ts'
import { listMoves } from './check/move-to-base.ts'
import { checkNetwork } from './check/network.ts'
import { listSettings } from './check/settings.ts'
import { type Command, findMissing, NETWORK_OPTION, requireInstalled } from './command.ts'
import { findFileIssues } from './file-issues.ts'
import { isFile } from './load-service.ts'
import { findMissingMigrations } from './migrations/migrate-state.ts'
import { loadApps } from './serve/load-apps.ts'
import { openState } from './state/open.ts'
import type { State } from './state/state.ts'

const PARTS: readonly Part[] = ['index', 'report', ...PAID_APPS]
/** A node with an older head is out of sync; Base has a block every two seconds. */
const OLDEST_HEAD_SECONDS = 300

export const check: Command = {
  name: 'check',
  usage: '[index] [report] [social] [utility] [inference] [file]... [--network <name|file>]',
  examples: ['check', 'check utility inference', 'check ./weather.ts'],
  notes: ['A file exports a service, as for tollbook serve.'],
  exitCodes: { 1: 'a check failed' },
  options: NETWORK_OPTION,
  async run({ positionals }) {
    const unknown = positionals.find((word) => !isFile(word) && !PARTS.some((part) => part === word))
    if (unknown !== undefined)
      throw new UsageError(`check accepts ${PARTS.join(', ')} and files of services, not ${unknown}`)
    const own = await loadApps(positionals.filter(isFile))
    const called = PARTS.filter((part) => positionals.includes(part))
    requireInstalled(called.map(packageOf))
    const config = withServices(loadConfig(), await findAllApps(own))
    const ownNames = own.map(({ name }) => name)
    const parts = positionals.length > 0 ? [...called, ...ownNames] : await listParts(config)
    const sold = [...PAID_APPS.filter((name) => parts.includes(name)), ...ownNames]
    show(listSettings(config, parts))
    const findings: Finding[] = []
    const checks: Check[] = [
      ['chain', () => checkChain(config)],
      ['network', () => checkNetwork(config)],
      ['folder', async () => checkFolder(config)],
      ['files', async () => toFindings(await findFileIssues(config, parts))],
      ['state', () => withStateUrl(config, () => checkState(config))],
      ...((await (await findApp('report'))?.checks(config)) ?? []),
      ['facilitator', () => checkFacilitator(config, sold)],
      ['to base', () => listMoves(config, sold)],
      ...(await checkUpstreams(config, [...(await findPaidApps()), ...own], sold)),
    ]
    for (const [name, work] of checks) {
      const shown = new Set(findings.map(({ name, text }) => `${name} ${text}`))
      const found = (await runCheck(name, work)).filter((one) => !shown.has(`${one.name} ${one.text}`))
      show(found)
      findings.push(...found)
    }
    return findings.some(({ verdict }) => verdict === 'failed') ? 1 : 0
  },
}

/** The installed parts that can run on the network. */
async function listParts(config: Config): Promise<readonly Part[]> {
  const installed = PARTS.filter((part) => !findMissing([packageOf(part)]))
  const hasReports = (await (await findApp('report'))?.hasReports(config)) ?? false
  return hasReports ? installed : installed.filter((part) => packageOf(part) !== '@tollbook/report')
}

/** The app of a part. */
function packageOf(part: Part): string {
  return `@tollbook/${part === 'index' ? 'report' : part}`
}

/** The checks of the services for sale here. */
async function checkUpstreams(
  config: Config,
  apps: readonly App<State>[],
  sold: readonly string[],
): Promise<readonly Check[]> {
  const selling = apps.filter(({ name }) => sold.includes(name))
  return (await Promise.all(selling.map((app) => app.checks(config)))).flat()
}

async function runCheck(name: string, work: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ConfigError) return toFindings(error.issues)
    return [{ verdict: 'failed', name, text: error instanceof Error ? error.message : String(error) }]
  }
}

function toFindings(issues: readonly string[]): readonly Finding[] {
  return issues.map((text): Finding => ({ verdict: 'failed', name: 'settings', text }))
}

function show(findings: readonly Finding[]): void {
  for (const { verdict, name, text } of findings)
    process.stdout.write(`${verdict.padEnd(6)} ${name.padEnd(12)} ${text}\n`)
}

async function checkChain(config: Config): Promise<readonly Finding[]> {
  const { isDev, access } = await findReadChain(config)
  const rpc = createReadRpc({ url: access.rpcUrl, attempts: 2 })
  const head = await readBlock(rpc, 'latest', AbortSignal.timeout(30_000))
  const final = await readBlock(rpc, access.finalTag, AbortSignal.timeout(30_000))
  const { title, isTest } = access.network
  const named = isDev ? `the local chain (${playMoney(access.network)})` : title
  const where = `${named}${isTest && !isDev ? ` (${TEST_MONEY})` : ''} at ${new URL(access.rpcUrl).host}`
  if (!head || !final) return [{ verdict: 'failed', name: 'chain', text: `${where} returns no head` }]
  const ageSeconds = Math.round(Date.now() / 1000 - head.timestamp)
  const text = `${where}: head ${head.number}, ${ageSeconds} s old, final ${final.number}`
  const isLate = !isDev && ageSeconds > OLDEST_HEAD_SECONDS
  return [{ verdict: isLate ? 'failed' : 'ok', name: 'chain', text }]
}

async function checkState(config: Config): Promise<readonly Finding[]> {
  const url = stateUrlOf(config)
  const isSqlite = url.startsWith('sqlite:')
  const where = nameState(url)
  if (isSqlite && !existsSync(url.slice('sqlite:'.length)))
    return [
      { verdict: 'note', name: 'state', text: `${where} does not exist yet; the first start creates it` },
    ]
  const state = await openState(url)
  try {
    const missing = await findMissingMigrations(state)
    if (missing.length === 0) return [{ verdict: 'ok', name: 'state', text: `${where}, tables up to date` }]
    const text = `${where}; the next start, or tollbook migrate, applies ${missing.join(', ')}`
    return [{ verdict: 'note', name: 'state', text }]
  } finally {
    await state.close()
  }
}
