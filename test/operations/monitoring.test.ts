import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { devFacilitatorAddress } from '@tollbook/chain/dev-accounts'
import type { State } from '@tollbook/cli/commands/state/state'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { type Listening, listen } from '@tollbook/http/server/serve'
import { openEvidencePieces } from '@tollbook/report/evidence/evidence-pieces'
import { openPipeline, type Pipeline } from '@tollbook/report/pipeline'
import { loadConfig } from '@tollbook/runtime/config'
import { openSocialProvider } from '@tollbook/social/open/social-provider'
import { createSocialService } from '@tollbook/social/service'
import { testLedgerUrl } from '@tollbook/testing/ledger/open-test-ledger'
import { openShop, type Shop } from '@tollbook/testing/paying/shop'
import { toAccess } from '@tollbook/testing/payments/settlement-stage'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { socialPorts, testWorkers } from '@tollbook/testing/social/open-social'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import { pino } from 'pino'
import { startFacilitator, type TestFacilitator } from '../facilitator/facilitator-stage.ts'
import { OPERATOR_HEADERS, OPERATOR_SETTING } from '../paying/operator-key.ts'
import { promtool, startPrometheus, withoutPrometheus } from './prometheus.ts'

const read = (file: string) => readFileSync(file, 'utf8')
const RULES = read('ops/prometheus/alerts.yml')
const ALERTS = [...RULES.matchAll(/^ +- alert: (\w+)$/gm)].map((match) => match[1] ?? '')
const BASE_URL = 'https://t.example'
const NEVER = new AbortController().signal

let socialState: State
let shop: Shop
let facilitator: TestFacilitator
let pipeline: Pipeline
let reports: Listening
/** The clock of the indexer, which stopped an hour and a half ago. */
let now = () => new Date(Date.now() - 90 * 60_000)

// A seller of social data, a facilitator, an indexer and the report service, on one chain.
before(async () => {
  socialState = await openTestState()
  const workers = testWorkers()
  const settings = {
    TOLLBOOK_X_URL: 'http://127.0.0.1:1',
    TOLLBOOK_X_TOKEN: 'app-token',
    TOLLBOOK_SOCIAL_BUDGET: '*=100',
    TOLLBOOK_SOCIAL_PROVIDERS: 'x',
  }
  const provider = openSocialProvider({
    config: loadConfig(settings),
    baseUrl: BASE_URL,
    state: socialState,
    workers,
  })
  const ports = { ...socialPorts(socialState), provider }
  const { registerMetrics } = await createSocialService({ baseUrl: BASE_URL, ports, pages: {} })
  shop = await openShop({
    workers,
    registerMetrics,
    limits: { heartbeatMs: 200 },
    settings: OPERATOR_SETTING,
  })
  const { state, chain } = shop.seller
  facilitator = await startFacilitator({ access: toAccess(chain.rpcUrl), state }, null, {
    settings: OPERATOR_SETTING,
  })
  pipeline = await openPipeline(
    {
      state,
      archive: openEvidencePieces(state, () => now()),
      ledgerUrl: testLedgerUrl(),
      rpcUrls: [chain.rpcUrl],
      baseUrl: BASE_URL,
      head: 'latest',
      finalHead: 'latest',
      firstBlock: 0,
      pollMs: 100,
      publishSeconds: 1,
      moreFacilitators: [devFacilitatorAddress],
      listingSources: [],
      fetch: () => Promise.reject(new Error('no source is read here')),
      logger: pino({ level: 'silent' }),
      now: () => now(),
    },
    NEVER,
  )
  const { app } = sampleService(state, { limiter: createRateLimiter(100_000) })
  reports = await listen({ app, host: '127.0.0.1', port: 0, logger: pino({ level: 'silent' }) })
})
after(async () => {
  await reports?.close()
  await pipeline?.close()
  await facilitator?.close()
  await shop?.close()
  await socialState?.close()
})

const buy = async () => {
  const path = '/test/good?word=hi'
  assert.equal((await shop.ask(path, await shop.sign(await shop.newPayer(), path))).status, 200)
}

test('every metric that an alert, a dashboard or the runbook names is in a real answer of /metrics', async () => {
  await buy()
  await pipeline.indexToHead(NEVER)
  const urls = [shop.seller.url, facilitator.url, reports.url]
  const pages = await Promise.all(
    urls.map(async (url) => (await fetch(`${url}/metrics`, { headers: OPERATOR_HEADERS })).text()),
  )
  const exported = new Set(
    [...pages.join('\n').matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
  const files = [...globSync('ops/{prometheus,grafana}/*'), 'docs/runbook.md', 'docs/operate.md'].filter(
    (file) => /\.\w+$/.test(file),
  )
  assert.ok(files.length >= 7, `${files}`)
  const missing = files.flatMap((file) =>
    [...read(file).matchAll(/\b(?:tollbook|process|nodejs)_[a-z_]+[a-z]\b/g)]
      .map(([name]) => name)
      .filter((name) => !exported.has(name))
      .map((name) => `${file}: ${name}`),
  )
  assert.deepEqual([...new Set(missing)], [])
})

test('every alert has its entry in the runbook, and a case in which it fires and one in which it does not', () => {
  assert.ok(ALERTS.length > 0)
  const headings = [...read('docs/runbook.md').matchAll(/^## (\w+)$/gm)].map((match) => match[1])
  assert.deepEqual(headings, ALERTS)
  const links = [...RULES.matchAll(/runbook: docs\/runbook\.md#(\w+)$/gm)].map((match) => match[1])
  assert.deepEqual(
    links,
    ALERTS.map((name) => name.toLowerCase()),
  )
  const cases = [...read('ops/prometheus/alerts.test.yml').matchAll(/^ {2}- name: (.+)$/gm)]
  assert.deepEqual(
    cases.map((match) => match[1]),
    ALERTS.flatMap((name) => [`${name} fires`, `${name} is silent`]),
  )
})

test('every alert is made to fire in running services', () => {
  const tests = globSync('test/operations/{monitoring.test,alerts-of-*}.ts').map(read).join('\n')
  assert.deepEqual(
    ALERTS.filter((name) => !tests.includes(`'${name}'`)),
    [],
  )
})

test('promtool accepts the configuration and the rules, and every case holds', {
  skip: withoutPrometheus,
}, () => {
  for (const words of [
    ['check', 'config', '--syntax-only', 'prometheus.yml'],
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ]) {
    const { status, stdout, stderr } = promtool(...words)
    assert.equal(status, 0, `${stdout}${stderr}`)
  }
})

test('alerts fire when their condition is made in running services, and stop when it is over', {
  skip: withoutPrometheus,
}, async () => {
  await reindex()
  const prometheus = await startPrometheus([shop.seller.url, facilitator.url, reports.url])
  const { until } = prometheus
  try {
    await until(['TollbookLedgerBehind', 'TollbookPublicationOld'])

    now = () => new Date()
    await until([], reindex)

    const { rpc } = shop.seller.chain
    const setBalance = (wei: string) => rpc.call('anvil_setBalance', [devFacilitatorAddress, wei])
    const before = await rpc.call('eth_getBalance', [devFacilitatorAddress, 'latest'])
    await setBalance('0x0')
    await until(['TollbookGasEmpty', 'TollbookGasLow', 'TollbookNotReady'])
    // The seller reads the balance every few seconds, as the facilitator service does.
    while ((await shop.ask('/test/good?word=hi')).status !== 503) await wait(100)
    await setBalance(String(before))
    await until([])
    await buy()

    await facilitator.close()
    await until(['TollbookDown'])

    for (const file of globSync('ops/grafana/*.json')) {
      const { panels } = JSON.parse(read(file)) as Dashboard
      for (const { expr } of panels.flatMap(({ targets }) => targets))
        assert.equal(await prometheus.query(expr.replaceAll('$job', 'tollbook')), 'success', expr)
    }
  } finally {
    await prometheus.close()
  }
})

type Dashboard = { readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[] }

/** Reads the chain and publishes, as of the current `now`. The position is stored at most every five seconds. */
async function reindex(): Promise<void> {
  await pipeline.indexToHead(NEVER)
  await pipeline.publish(NEVER)
}
