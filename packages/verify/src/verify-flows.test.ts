import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { CHANNEL_FALSIFICATIONS } from '@tollbook/testing/report/channel-falsifications'
import { playChannelWeek } from '@tollbook/testing/report/channel-week'
import { playCheatedWeek } from '@tollbook/testing/report/cheated-week'
import { assertNamed, forge } from '@tollbook/testing/report/falsified-report'
import { FLOW_FALSIFICATIONS } from '@tollbook/testing/report/flow-falsifications'
import { SHOP } from '@tollbook/testing/report/paid-week'
import { type PublishedWeek, publishPaidWeek, toListing } from '@tollbook/testing/report/published-week'
import { parseClaimRecord } from './checks/check-claim.ts'
import { parseInputs, parsePublishedReport } from './published/published-report.ts'
import { SCREENS } from './screen/screens.ts'
import { verifyReport } from './verify-report.ts'

const signal = new AbortController().signal
let week: PublishedWeek
let channels: PublishedWeek
let published: Awaited<ReturnType<typeof readPublished>>
let ofChannels: typeof published

before(async () => {
  const listings = [toListing('/cheap', 4_000n), toListing('/dear', 10_000n)]
  week = await publishPaidWeek({ play: playCheatedWeek, sources: [['https://source.example', listings]] })
  published = await readPublished()
  channels = await publishPaidWeek({ play: playChannelWeek })
  ofChannels = await readPublished(channels)
})
after(async () => {
  await week.close()
  await channels.close()
})

test('a report with every screen that follows money equals the chain', async () => {
  assert.deepEqual(await listDifferences(published), [])
  const { tx, usd, real_tx, real_usd, real_buyers, returning_buyers, fees_usd, flags } = published.report
  // The sums are in packages/testing/src/report/cheated-week.ts.
  assert.deepEqual(
    { tx, usd, real_tx, real_usd, real_buyers, returning_buyers, fees_usd, flags },
    {
      tx: 116,
      usd: 27.58,
      real_tx: 3,
      real_usd: 9.14,
      real_buyers: 3,
      returning_buyers: 1,
      fees_usd: 0.01,
      flags: {
        funded_by_merchant: { tx: 1, usd: 4 },
        circular: { tx: 1, usd: 2 },
        above_listing: { tx: 1, usd: 12 },
        tiny_repeat: { tx: 110, usd: 0.44 },
      },
    },
  )
})

test('inputs with the current names of thresholds are verified like those with the names of version 3', async () => {
  const renamed = forge(published, ({ inputs }) => {
    for (const screen of inputs.method.screens)
      screen.thresholds = SCREENS.find(({ kind }) => kind === screen.kind)?.thresholds
  })
  assert.notDeepEqual(renamed.inputs, published.inputs)
  assert.deepEqual(await listDifferences({ ...renamed, claim: published.claim }), [])
})

test('a claim that states a price of 12 dollars explains the payment of 12 dollars, and is verified', async () => {
  const listings = [toListing('/cheap', 4_000n), toListing('/dear', 10_000n)]
  const sources = [['https://source.example', listings]] as const
  const explained = await publishPaidWeek({ play: playCheatedWeek, sources, maxPrice: 12_000_000n })
  try {
    const documents = await readPublished(explained)
    const { real_usd, stated_max_price_usd: stated, flags } = documents.report
    // 9.14 and the 12 dollars that are flagged without the claim.
    assert.deepEqual([real_usd, stated, flags.above_listing], [21.14, 12, undefined])
    assert.deepEqual(await listDifferences(documents, explained), [])
  } finally {
    await explained.close()
  }
})

test('a report of claims from channels and of captures equals the chain', async () => {
  assert.deepEqual(await listDifferences(ofChannels, channels), [])
  const { tx, usd, real_tx, real_usd, buyers, fees_usd } = ofChannels.report
  // 1,521,000 and 13,000 micro-USDC, in cents; the sums are in packages/testing/src/report/channel-week.ts.
  assert.deepEqual([tx, usd, real_tx, real_usd, buyers, fees_usd], [8, 1.52, 8, 1.52, 5, 0.01])
})

for (const [name, field, falsify] of CHANNEL_FALSIFICATIONS)
  test(`found: ${name}`, async () => {
    const forged = { ...forge(ofChannels, falsify), claim: ofChannels.claim }
    assertNamed(field, await listDifferences(forged, channels))
  })

for (const [name, field, falsify] of FLOW_FALSIFICATIONS)
  test(`found: ${name}`, async () =>
    assertNamed(field, await listDifferences({ ...forge(published, falsify), claim: published.claim })))

async function readPublished(of = week) {
  return {
    report: JSON.parse(await of.read(SHOP, '.json')),
    inputs: parseInputs(JSON.parse(await of.read(SHOP, '/inputs.json'))),
    evidence: await of.read(SHOP, '/payments.ndjson'),
    claim: parseClaimRecord(JSON.parse(await of.read(SHOP, '/claim.json'))),
  }
}

type Documents = {
  readonly report: unknown
  readonly inputs: unknown
  readonly evidence: string
  readonly claim: ReturnType<typeof parseClaimRecord>
}

/** The fields that differ from the chain. */
async function listDifferences(
  { report, inputs, evidence, claim }: Documents,
  of = week,
): Promise<readonly string[]> {
  const provided = {
    report: parsePublishedReport(JSON.parse(JSON.stringify(report))),
    inputs: parseInputs(inputs),
    evidence,
    claim,
    rpc: createReadRpc({ url: of.chain.rpcUrl }),
    now: new Date(),
  }
  const { checks } = await verifyReport(provided, signal)
  return checks.filter(({ verdict }) => verdict === 'differs').map(({ field }) => field)
}
