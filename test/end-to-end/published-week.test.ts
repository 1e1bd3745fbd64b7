import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { State } from '@tollbook/cli/commands/state/state'
import { startDevChain } from '@tollbook/devchain/dev-chain'
import { openEvidenceFolder } from '@tollbook/report/evidence/evidence-folder'
import { withArchive } from '@tollbook/report/evidence/packed-evidence'
import { openPipeline, type Pipeline } from '@tollbook/report/pipeline'
import type { ReportApp } from '@tollbook/report/service'
import { testLedgerUrl } from '@tollbook/testing/ledger/open-test-ledger'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import { reportInputsShape, weekInputsShape } from '@tollbook/verify/published/inputs'
import { pino } from 'pino'
import {
  BAR,
  claimShop,
  END,
  FACILITATOR,
  GENESIS,
  listBar,
  listShop,
  OWN_WALLET,
  type PlayedWeek,
  playEveryPayment,
  SHOP,
} from './every-payment.ts'

const BASE_URL = 'https://report.example'
const PAGE = `/merchants/base/${SHOP}`
const WEEK = '2026-11-15'
const { signal } = new AbortController()

let chain: Awaited<ReturnType<typeof startDevChain>>
let state: State
let folder: string
let pipeline: Pipeline
let app: ReportApp
let week: PlayedWeek
let now = new Date((END + 4) * 1000)

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-week-'))
  chain = await startDevChain({ port: 0, clock: 'stopped', genesisSeconds: GENESIS })
  week = await playEveryPayment(chain)
  state = await openTestState()
  await listShop(state, now)
  await claimShop(state, now)
  const archive = openEvidenceFolder(folder)
  pipeline = await openPipeline(
    {
      state,
      archive,
      ledgerUrl: testLedgerUrl(),
      rpcUrls: [chain.rpcUrl],
      baseUrl: BASE_URL,
      head: 'latest',
      finalHead: 'latest',
      firstBlock: 0,
      pollMs: 100,
      publishSeconds: 1,
      moreFacilitators: [FACILITATOR],
      listingSources: [],
      fetch: () => Promise.reject(new Error('no source is read here')),
      logger: pino({ level: 'silent' }),
      now: () => now,
    },
    signal,
  )
  await pipeline.indexToHead(signal)
  await pipeline.publish(signal)
  app = sampleService(state, { evidence: withArchive(pipeline.evidence, archive), baseUrl: BASE_URL }).app
})

after(async () => {
  await pipeline.close()
  await state.close()
  await chain.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the report of a week with every kind of payment is the one composed by hand, byte for byte', async () => {
  const text = await ask(`${PAGE}.json?week=${WEEK}`)
  assert.equal(text, expectedReport(week.endBlock))
})

test('a merchant that received a ten-thousandth of a cent has zero dollar figures, and no rank', async () => {
  const report = JSON.parse(await ask(`/merchants/base/${BAR}.json?week=${WEEK}`))
  assert.deepEqual([report.tx, report.usd, report.real_usd, report.top_buyer_share], [0, 0, 0, 1])
  assert.equal(report.rank_by_real_revenue, null)
  assert.equal(report.name, BAR)
  // Dust is in the dollars, and counts neither as a payment nor towards a price.
  assert.deepEqual(report.paid, { median: 0, p25: 0, p75: 0, median_passing: 0 })
  assert.match(report.claim, /received \$0\.00 .* \(100% of \$0\.00 reported\) from 0 of 0 buyer wallets/)
})

test('payments in the second before the window belong to the week before', async () => {
  const report = JSON.parse(await ask(`${PAGE}.json?week=2026-11-08`))
  assert.deepEqual([report.tx, report.usd, report.last_seen_week], [1, 9, '2026-11-08'])
  const { weeks } = JSON.parse(await ask(`${PAGE}/weeks.json`))
  assert.deepEqual(
    weeks.map((each: Record<string, unknown>) => [each.week, each.tx, each.usd, each.rank_by_real_revenue]),
    [
      [WEEK, 114, 8.3, 1],
      ['2026-11-08', 1, 9, 1],
    ],
  )
})

test('the evidence of a week is every payment in chain order, with its verdict', async () => {
  const csv = await ask(`${PAGE}/payments.csv?week=${WEEK}`)
  const lines = csv.trimEnd().split('\r\n').slice(1)
  const told = lines.map((line) => {
    const [, , , transaction, buyer, amount, , flag] = line.split(',')
    return [transaction, buyer, amount, flag]
  })
  assert.deepEqual(told, week.payments)
})

test('the inputs of a report carry digests of its bytes and of its evidence', async () => {
  const inputs = reportInputsShape.parse(JSON.parse(await ask(`${PAGE}/inputs.json?week=${WEEK}`)))
  assert.equal(inputs.report.sha256, sha256(await ask(`${PAGE}.json?week=${WEEK}`)))
  assert.equal(inputs.evidence?.sha256, sha256(await ask(`${PAGE}/payments.ndjson?week=${WEEK}`)))
  assert.equal(inputs.evidence?.payments, 114)
  assert.equal(inputs.chain.genesis_hash, chain.genesisHash)
  assert.deepEqual(inputs.disclosed_wallets, [OWN_WALLET])
  assert.deepEqual([inputs.claimed, inputs.listed_payees.has_merchant], [true, true])
  assert(inputs.facilitators.addresses.includes(FACILITATOR))
  // 4,309,567: the real sum of the report to the last micro-USDC.
  assert.deepEqual([inputs.rank.real_amount, inputs.rank.real_tx, inputs.rank.merchants], ['4309567', 11, 2])
  const shared = weekInputsShape.parse(JSON.parse(await ask(`/weeks/${WEEK}/inputs.json`)))
  assert.deepEqual(shared.listed_payees.addresses, [SHOP])
  assert.equal(shared.listed_payees.sha256, sha256(`${SHOP}\n`))
  assert.equal(inputs.listed_payees.sha256, shared.listed_payees.sha256)
  assert.deepEqual([shared.merchants, shared.payments], [2, 114])
})

test('a week that is published again keeps its bytes, even if listings and claims have changed', async () => {
  const before = await readWeek()
  await listShop(state, now, 'Other words.')
  now = new Date(now.getTime() + 60_000)
  await pipeline.publish(signal)
  assert.deepEqual(await readWeek(), before)
})

test('a correction is a revision next to the first one, and contains only what differs', async () => {
  const before = await readWeek()
  const bar = `/merchants/base/${BAR}.json?week=${WEEK}`
  const reason = 'The listing of a merchant was missing.'
  assert.deepEqual(await pipeline.publishRevision({ week: WEEK, reason }, signal), {
    revision: 1,
    changed: 0,
  })

  // The shop no longer names the wallet that paid it 0.30: what it decides later changes no published figure.
  await claimShop(state, now, [])
  assert.deepEqual(await pipeline.publishRevision({ week: WEEK, reason }, signal), {
    revision: 1,
    changed: 0,
  })

  await listBar(state, now)
  assert.deepEqual(await pipeline.publishRevision({ week: WEEK, reason }, signal), {
    revision: 2,
    changed: 1,
  })
  // Now that the bar is listed, the 0.05 that a stranger sent counts.
  const corrected = JSON.parse(await ask(bar))
  assert.deepEqual([corrected.tx, corrected.usd, corrected.rank_by_real_revenue], [1, 0.05, 2])
  // The merchant's choices stay as they were when the week was first published.
  assert.deepEqual(corrected.bazaar_listings, [])
  assert.equal((await readWeek()).report, before.report)
  assert.deepEqual(await readWeek('&revision=1'), before)
  await listBar(state, now, { isGone: true })
  assert.deepEqual(await pipeline.publishRevision({ week: WEEK, reason }, signal), {
    revision: 2,
    changed: 0,
  })

  const { revisions, newest_revision } = JSON.parse(await ask(`/weeks/${WEEK}.json`))
  assert.equal(newest_revision, 2)
  assert.deepEqual(
    revisions.map((each: Record<string, unknown>) => [each.revision, each.reason, each.real_tx]),
    [
      [1, null, 11],
      [2, reason, 12],
    ],
  )
  const url = `${BASE_URL}${PAGE}.json?week=${WEEK}&revision=`
  const history = `<${BASE_URL}/weeks/${WEEK}.json>; rel="version-history"`
  assert.equal(
    (await app.request(`${PAGE}.json?week=${WEEK}&revision=1`)).headers.get('link'),
    `<${url}2>; rel="successor-version", <${url}2>; rel="latest-version", ${history}`,
  )
  assert.equal(
    (await app.request(`${PAGE}.json?week=${WEEK}`)).headers.get('link'),
    `<${url}1>; rel="predecessor-version", <${url}2>; rel="latest-version", ${history}`,
  )
  assert.match(
    await ask(`${PAGE}?week=${WEEK}&revision=1`),
    /These figures were corrected by a later revision/,
  )
  assert.match(await ask(`${PAGE}?week=${WEEK}`), new RegExp(`Revision 2 of 2: ${reason}`))
  assert.equal((await app.request(`${PAGE}.json?week=${WEEK}&revision=3`)).status, 404)
  assert.equal((await app.request(`${PAGE}.json?revision=1`)).status, 400)
})

test('a week that is not published, or no longer in the ledger, cannot be corrected', async () => {
  const reason = 'None.'
  await assert.rejects(pipeline.publishRevision({ week: '2026-01-04', reason }, signal), /is not published/)
  await assert.rejects(pipeline.publishRevision({ week: 'rolling', reason }, signal), /is not published/)
})

test('after an outage of weeks every week is published, and stored evidence needs no ledger', async () => {
  const before = await readWeek('&revision=1')
  await chain.rpc.call('evm_setNextBlockTimestamp', [END + 3 * 604_800 + 30])
  await chain.mine()
  await pipeline.indexToHead(signal)
  now = new Date((END + 3 * 604_800 + 40) * 1000)
  await pipeline.publish(signal)
  const { weeks } = JSON.parse(await ask('/weeks.json'))
  assert.deepEqual(
    weeks.map((each: { week: string }) => each.week),
    ['2026-12-06', '2026-11-29', '2026-11-22', WEEK, '2026-11-08'],
  )
  // Nobody was paid in the newest window: the last report remains.
  const report = JSON.parse(await ask(`${PAGE}.json`))
  assert.deepEqual([report.frozen, report.rank_by_real_revenue, report.last_seen_week], [true, null, WEEK])
  assert.equal((await app.request(`${PAGE}.json?week=2026-12-06`)).status, 404)
  // From here on the ledger names no attempt.
  await state.db.deleteFrom('index_chunk').execute()
  assert.deepEqual(await readWeek('&revision=1'), before)
})

async function ask(path: string): Promise<string> {
  const response = await app.request(path)
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return text
}

async function readWeek(revision = '') {
  const query = `?week=${WEEK}${revision}`
  const packed = await app.request(`${PAGE}/payments.ndjson${query}`, {
    headers: { 'accept-encoding': 'gzip' },
  })
  return {
    report: await ask(`${PAGE}.json${query}`),
    csv: await ask(`${PAGE}/payments.csv${query}`),
    ndjson: await ask(`${PAGE}/payments.ndjson${query}`),
    packed: gunzipSync(await packed.arrayBuffer()).toString(),
    inputs: JSON.parse(await ask(`${PAGE}/inputs.json${query}`)),
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The sums are derived where the payments are made, in test/end-to-end/every-payment.ts. */
function expectedReport(endBlock: number): string {
  const words = 'Ten bytes '
  return [
    '{"schema_version":"1","generated_at":"2026-11-15T12:00:05+00:00",',
    '"license":"https://creativecommons.org/licenses/by/4.0/","chain":"base",',
    `"address":"${SHOP}","name":"shop.example","claimed":true,"frozen":false,"last_seen_week":"2026-11-15",`,
    '"rank_by_real_revenue":1,',
    `"window":{"start_block":${endBlock - 302_400},"end_block":${endBlock},"complete":true,`,
    '"start":"2026-11-08T12:00:01+00:00","end":"2026-11-15T12:00:01+00:00","days":7},',
    '"claim":"shop.example received $4.31 of x402 payments passing every screen (52% of $8.30 reported) ',
    'from 7 of 10 buyer wallets on Base in the 7 days to 2026-11-15.",',
    '"tx":114,"usd":8.3,"real_tx":11,"real_usd":4.31,"buyers":10,"real_buyers":7,"top_buyer_share":0.2399,',
    '"effective_buyers":7.26,"returning_buyers":1,',
    '"flags":{"self_pay":{"tx":2,"usd":1},"round_trip":{"tx":1,"usd":2},"tiny_repeat":{"tx":100,"usd":0.99}},',
    '"flag_note":"A flag is a pattern in public on-chain data, not a finding of wrongdoing: a merchant testing ',
    'its own endpoint, one large customer or a high-volume integration can trip a screen.",',
    '"paid":{"median":0.009999,"p25":0.009999,"p75":0.009999,"median_passing":0.3},',
    '"bazaar_listings":[',
    '{"resource":"https://shop.example/cheap","price_usd":0.005,"description":"Cheap."},',
    `{"resource":"https://shop.example/dear","price_usd":0.5,"description":"${words.repeat(23)}Ten bytes…"}],`,
    '"inferred_revenue":{"endpoints":[',
    '{"resource":"https://shop.example/cheap","price_usd":0.005,"tx":1,"usd":0,"real_tx":1,"real_usd":0},',
    '{"resource":"https://shop.example/dear","price_usd":0.5,"tx":1,"usd":0.5,"real_tx":1,"real_usd":0.5}],',
    '"unattributed":{"tx":112,"usd":7.8,"real_tx":9,"real_usd":3.81}},',
    '"daily":[{"date":"2026-11-08","tx":2,"usd":1.73,"real_usd":1.73},',
    '{"date":"2026-11-09","tx":3,"usd":1.01,"real_usd":1.01},',
    '{"date":"2026-11-10","tx":1,"usd":0.1,"real_usd":0.1},',
    '{"date":"2026-11-11","tx":1,"usd":0.15,"real_usd":0.15},',
    '{"date":"2026-11-12","tx":2,"usd":0.7,"real_usd":0.7},',
    '{"date":"2026-11-13","tx":101,"usd":1.02,"real_usd":0.02},',
    '{"date":"2026-11-14","tx":3,"usd":1.6,"real_usd":0.6},',
    '{"date":"2026-11-15","tx":1,"usd":1.99,"real_usd":0}],',
    `"page":"https://report.example/merchants/base/${SHOP}",`,
    `"badge":"https://report.example/merchants/base/${SHOP}/badge.svg"}\n`,
  ].join('')
}
