import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { BASE } from '@tollbook/chain/network'
import type { State } from '@tollbook/cli/commands/state/state'
import type { Tracer } from '@tollbook/flow/trace'
import { createRemoteFacilitator } from '@tollbook/gate/remote/remote-facilitator'
import { openEvidencePieces } from '@tollbook/report/evidence/evidence-pieces'
import { openPipeline } from '@tollbook/report/pipeline'
import { openTracer } from '@tollbook/runtime/process/open-tracer'
import { testLedgerUrl } from '@tollbook/testing/ledger/open-test-ledger'
import { openShop, type Shop } from '@tollbook/testing/paying/shop'
import { toAccess } from '@tollbook/testing/payments/settlement-stage'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import { pino } from 'pino'
import { startFacilitator, type TestFacilitator } from '../facilitator/facilitator-stage.ts'
import { type ReceivedSpan, startCollector } from './parts/otlp-collector.ts'

const NEVER = new AbortController().signal
const logger = pino({ level: 'silent' })
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const FLOW_TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = '00f067aa0ba902b7'

let collector: Awaited<ReturnType<typeof startCollector>>
const closers: (() => Promise<void>)[] = []
let tracer: Tracer | undefined
let state: State
let facilitator: TestFacilitator
let shop: Shop

// A seller and its facilitator, as two services that export to one collector.
before(async () => {
  collector = await startCollector()
  const settings = { TOLLBOOK_OTLP_URL: collector.url, TOLLBOOK_TRACE_PERCENT: 100 }
  tracer = await openTracer(settings, logger, { onClose: (close) => closers.push(close) })
  assert.ok(tracer)
  state = await openTestState()
  shop = await openShop({
    tracer,
    facilitator: async (chain) => {
      facilitator = await startFacilitator({ access: toAccess(chain.rpcUrl), state }, null, { tracer })
      return createRemoteFacilitator({ url: facilitator.url, network: BASE.id, logger })
    },
  })
})
after(async () => {
  await shop?.close()
  await facilitator?.close()
  await state?.close()
  collector?.close()
})

const pay = async (path: string, traceparent: string) => {
  const payer = await shop.newPayer()
  await shop.allowPermit2(payer)
  const headers = { traceparent, tracestate: 'vendor=1' }
  const response = await shop.ask(path, await shop.sign(payer, path), { headers })
  assert.equal(response.status, 200)
  await response.text()
}

/** The names of a span's children, in the order in which they began. */
const childrenOf = (spans: readonly ReceivedSpan[], parent: string | undefined) =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent)

test('a collector receives one span for each step of a paid call and of a publication', async () => {
  await pay('/test/good?word=secretword', `00-${TRACE}-${PARENT}-00`)
  shop.desk.charge = 5_000n
  await pay('/test/flow?word=secretword', `00-${FLOW_TRACE}-${PARENT}-00`)
  const pipeline = await openPipeline(
    {
      state: shop.seller.state,
      archive: openEvidencePieces(shop.seller.state, () => new Date()),
      ledgerUrl: testLedgerUrl(),
      rpcUrls: [shop.seller.chain.rpcUrl],
      baseUrl: 'https://report.example',
      head: 'latest',
      finalHead: 'latest',
      firstBlock: 0,
      pollMs: 100,
      publishSeconds: 1,
      moreFacilitators: [],
      listingSources: [],
      fetch: () => Promise.reject(new Error('no source is read here')),
      logger,
      tracer,
      now: () => new Date(),
    },
    NEVER,
  )
  await pipeline.indexToHead(NEVER)
  await pipeline.publish(NEVER)
  await pipeline.close()
  for (const close of closers) await close()

  assert.equal(collector.paths[0], 'POST /v1/traces application/json')
  const spans = collector.spans.filter(({ traceId }) => traceId === TRACE)
  const roots = childrenOf(spans, PARENT)
  assert.deepEqual(
    roots.map(({ name }) => name),
    ['GET /test/good'],
  )
  const names = (parent: ReceivedSpan | undefined) =>
    childrenOf(spans, parent?.spanId)
      .map(({ name }) => name)
      .toSorted()
  assert.deepEqual(names(roots[0]), [
    'check signature',
    'read arguments',
    'reserve',
    'run handler',
    'settle',
    'store answer',
    'verify',
  ])
  // Both requests continue the trace at the facilitator.
  const find = (name: string) => spans.find((span) => span.name === name)
  assert.deepEqual(names(find('verify')), ['facilitator /verify'])
  assert.deepEqual(names(find('facilitator /verify')), ['POST /verify'])
  assert.deepEqual(names(find('facilitator /settle')), ['POST /settle'])
  assert.deepEqual(names(find('POST /settle')), ['settle'])
  assert.equal(find('facilitator /settle')?.kind, 3)
  assert.equal(find('POST /settle')?.kind, 2)
  assert.equal(spans.filter(({ name }) => name === 'settle').length, 2)
  assert.match(
    JSON.stringify(find('settle')),
    /"tollbook.transaction","value":\{"stringValue":"0x[0-9a-f]{64}"/,
  )
  assert.doesNotMatch(JSON.stringify(collector.spans), /secretword|authorization|signature":/i)
  // A metered stream settles when it has ended, after the headers of its answer.
  const flow = collector.spans.filter(({ traceId }) => traceId === FLOW_TRACE)
  const [root] = childrenOf(flow, PARENT)
  assert.ok(childrenOf(flow, root?.spanId).some(({ name }) => name === 'settle'))
  // The request line of the seller.
  const lines = shop.seller.logged().match(/^.*"msg":"request".*$/gm) ?? []
  assert.ok(lines.some((line) => line.includes(`"trace_id":"${TRACE}"`)))

  const [publish] = collector.spans.filter(({ name }) => name === 'publish')
  assert.ok(publish && !publish.parentSpanId)
  const steps = collector.spans.filter(({ traceId }) => traceId === publish.traceId).map(({ name }) => name)
  for (const step of [
    'collect listings',
    'prepare the newest window',
    'read and screen payments',
    'read listings and claims',
    'add up merchant groups',
    'store the newest window',
    'publish other windows',
  ])
    assert.ok(steps.includes(step), step)
})

test('without a collector there is no tracer', async () => {
  const settings = { TOLLBOOK_OTLP_URL: undefined, TOLLBOOK_TRACE_PERCENT: 100 }
  assert.equal(await openTracer(settings, logger, { onClose: () => {} }), undefined)
})
