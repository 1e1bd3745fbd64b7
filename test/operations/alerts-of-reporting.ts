import { after, test } from 'node:test'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { listen } from '@tollbook/http/server/serve'
import { createSqd } from '@tollbook/report/chain/portals/sqd'
import { alertOutbox } from '@tollbook/report/claims/alerts/alert-outbox'
import { deliverAlerts } from '@tollbook/report/claims/alerts/deliver-alerts'
import { ALERT_EVENTS, createWebhook } from '@tollbook/report/claims/alerts/webhooks'
import { openEvidencePieces } from '@tollbook/report/evidence/evidence-pieces'
import { openPipeline } from '@tollbook/report/pipeline'
import { collectAllListings } from '@tollbook/report/pipeline/read-listings'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { testLedgerUrl } from '@tollbook/testing/ledger/open-test-ledger'
import { openShop } from '@tollbook/testing/paying/shop'
import { openReceiver } from '@tollbook/testing/report/alert-receiver'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { storeClaim } from '@tollbook/testing/report/store-claim'
import { findFreePort } from '@tollbook/testing/servers/free-port'
import { createSimulatedChain } from '@tollbook/testing/simulated-chain/chain'
import { startSimulatedNode } from '@tollbook/testing/simulated-chain/node'
import { startSimulatedPortal } from '@tollbook/testing/simulated-chain/portal'
import { smallPlan } from '@tollbook/testing/simulated-chain/small-plan'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import { pino } from 'pino'
import { startPrometheus, withoutPrometheus } from './prometheus.ts'

const NEVER = new AbortController().signal
const SEED = `0x${'5'.repeat(64)}` as const
const OTHER_HASH = `0x${'e'.repeat(64)}` as const
const HEAD = 220
const logger = pino({ level: 'silent' })
const fetchAnywhere = createSafeFetch({ allowPrivateNetwork: true })
const opened: (() => unknown)[] = []
after(async () => {
  for (const close of opened.reverse()) await close()
})

test('alerts about portals, listings and webhooks fire when their condition is made, and stop', {
  skip: withoutPrometheus,
}, async (t) => {
  const chain = createSimulatedChain(smallPlan, SEED, HEAD)
  const node = await startSimulatedNode(chain)
  opened.push(() => node.close())
  const portal = await startSimulatedPortal(chain)
  opened.push(() => portal.close())
  const state = await openTestState()
  opened.push(() => state.close())
  const port = await findFreePort()
  const pipeline = await openPipeline(
    {
      state,
      archive: openEvidencePieces(state, () => new Date()),
      ledgerUrl: testLedgerUrl(),
      rpcUrls: [node.url],
      portals: [createSqd({ url: portal.url, token: undefined })],
      baseUrl: 'https://t.example',
      head: 'safe',
      finalHead: 'safe',
      firstBlock: 1,
      pollMs: 100,
      publishSeconds: 1,
      moreFacilitators: [],
      listingSources: [],
      fetch: fetchAnywhere,
      logger,
      now: () => new Date(),
    },
    NEVER,
  )
  opened.push(() => pipeline.close())
  const { app } = sampleService(state, { limiter: createRateLimiter(100_000) })
  const reports = await listen({ app, host: '127.0.0.1', port: 0, logger })
  opened.push(() => reports.close())
  // An hour of the rules lasts half a minute.
  const prometheus = await startPrometheus([reports.url], 0.5)
  opened.push(() => prometheus.close())
  const fires = (name: string) => prometheus.until((firing) => firing.includes(name))
  const stops = (name: string) => prometheus.until((firing) => !firing.includes(name))
  // Nothing has been published; by then, the portal's 0 has been seen.
  await fires('TollbookNotReady')

  portal.behave({
    change: (receipts) =>
      receipts.map((one) => ({ ...one, logs: one.logs.map((log) => ({ ...log, blockHash: OTHER_HASH })) })),
  })
  await pipeline.indexToHead(NEVER)
  await fires('TollbookPortalRejected')

  // The operator's own service, whose listings are read, has not been started.
  const sources = { listingSources: [`http://127.0.0.1:${port}`], fetch: fetchAnywhere }
  const collect = () => collectAllListings({ state, ...sources, logger, now: () => new Date() }, NEVER)
  await collect()
  await fires('TollbookListingsFail')
  const shop = await openShop({ settings: { TOLLBOOK_UTILITY_PORT: String(port) } })
  opened.push(() => shop.close())
  await collect()
  await stops('TollbookListingsFail')

  const receiver = await openReceiver(t, { status: 500 })
  for (const digit of ['a', 'b']) {
    const address = `0x${digit.repeat(40)}` as const
    await storeClaim(state, { address })
    const wish = { events: ALERT_EVENTS, rankPlaces: 10, dropPercent: 50 }
    const webhook = await createWebhook(state, { ...wish, address, url: receiver.url }, new Date())
    const events = Array.from({ length: 60 }, (_, at) => ({
      event: 'flag.new' as const,
      key: `${at}`,
      data: { flag: 'self_pay' },
    }))
    await alertOutbox.queue(state.db, { webhook: webhook.id, events, at: new Date() })
  }
  const deliver = async (laterMs: number) => {
    const now = () => new Date(Date.now() + laterMs)
    while ((await deliverAlerts({ state, fetch: fetchAnywhere, logger, now }, NEVER)) > 0);
  }
  await deliver(0)
  await fires('TollbookWebhooksWait')
  receiver.answer = { status: 204 }
  await deliver(600_000)
  await stops('TollbookWebhooksWait')
  await stops('TollbookPortalRejected')
})
