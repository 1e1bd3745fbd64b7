import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { createSafeFetch, type SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { SHOP } from '@tollbook/testing/report/paid-week'
import { type PublishedWeek, publishPaidWeek } from '@tollbook/testing/report/published-week'
import { runProduct as run } from '@tollbook/testing/report/run-product'
import type { Overview } from './published/overview.ts'
import { verifyOverview } from './verify-overview.ts'
import type { Verification } from './verify-report.ts'

const signal = new AbortController().signal
const fetchAny = createSafeFetch({ allowPrivateNetwork: true })
let week: PublishedWeek

before(async () => {
  week = await publishPaidWeek()
})
after(() => week.close())

// biome-ignore lint/suspicious/noExplicitAny: a forger writes what it likes
type Forge = (document: any) => unknown

/** The fields of the overview that differ when its publisher has changed a document. */
function listDifferences(forge: Forge, document = '/overview.json'): Promise<readonly string[]> {
  return listForged({ [document]: forge })
}

/** @param forges by the end of a path. @param toServed the URL of which a publisher serves the document */
async function listForged(
  forges: Readonly<Record<string, Forge>>,
  toServed?: (url: string) => string,
): Promise<readonly string[]> {
  const { checks } = await verifyForged(forges, toServed)
  return checks.filter(({ verdict }) => verdict === 'differs').map(({ field }) => field)
}

function verifyForged(
  forges: Readonly<Record<string, Forge>>,
  toServed: (url: string) => string = (url) => url,
): Promise<Verification> {
  const fetchForged: SafeFetch = async (url, options) => {
    const answer = await fetchAny(toServed(String(url)), options)
    const [, forge] =
      Object.entries(forges).find(([end]) => new URL(String(url)).pathname.endsWith(end)) ?? []
    if (!forge) return answer
    const forged = JSON.parse(Buffer.from(answer.body).toString())
    forge(forged)
    return { ...answer, body: Buffer.from(JSON.stringify(forged)) }
  }
  const source = { fetchPublic: fetchForged, fetchTyped: fetchForged }
  const rpc = createReadRpc({ url: week.chain.rpcUrl })
  return verifyOverview({ url: `${week.url}/overview`, source, rpc, now: new Date() }, signal)
}

test('an overview is recomputed from the chain, merchant by merchant', async () => {
  const verified = await run(['verify', `${week.url}/overview.json`, '--rpc', week.chain.rpcUrl])
  assert.equal(verified.code, 0, verified.stderr + verified.stdout)
  assert.match(verified.stdout, /^The overview equals what the chain shows: \d+ equal, 0 differ, /m)
})

// biome-ignore lint/suspicious/noExplicitAny: a forger writes what it likes
const lastOf = ({ weeks }: any) => weeks.at(-1)
const FALSIFICATIONS: readonly (readonly [field: string, forge: Forge])[] = [
  ['merchants', (overview) => lastOf(overview).merchants++],
  ['tx', (overview) => lastOf(overview).tx++],
  ['usd', (overview) => (lastOf(overview).usd += 1)],
  ['real_tx', (overview) => lastOf(overview).real_tx--],
  ['real_usd', (overview) => (lastOf(overview).real_usd = 7)],
  ['buyers', (overview) => lastOf(overview).buyers++],
  ['real_buyers', (overview) => lastOf(overview).real_buyers++],
  ['facilitators', (overview) => lastOf(overview).facilitators.pop()],
]
for (const [field, forge] of FALSIFICATIONS)
  test(`found in the overview: another value of ${field}`, async () => {
    assert.deepEqual(await listDifferences(forge), [`weeks.${week.week}.${field}`])
  })

test('found in the overview: payments of one facilitator under the name of another', async () => {
  const swap: Forge = (overview) => {
    const [one, two] = lastOf(overview).facilitators
    ;[one.addresses, two.addresses] = [two.addresses, one.addresses]
  }
  const fields = await listDifferences(swap)
  assert.equal(fields.filter((field) => /\.facilitators\.0x\w{40}\.tx$/.test(field)).length, 2)
})

test('found in the overview: a day with more revenue, and a day without payments', async () => {
  const { days } = JSON.parse(await (await week.request('/overview.json')).text()) as Overview
  const [, inner] = days
  assert(inner)
  const raise: Forge = (overview) => (overview.days[1].real_usd += 1)
  assert.deepEqual(await listDifferences(raise), [`days.${inner.date}.real_usd`])
  const drop: Forge = (overview) => overview.days.splice(1, 1)
  assert.deepEqual((await listDifferences(drop)).slice(0, 1), [`days.${inner.date}.tx`])
})

test('found by the overview: a report of the week that the chain does not show', async () => {
  const fields = await listDifferences((report) => (report.real_usd += 1), `/merchants/base/${SHOP}.json`)
  assert.deepEqual(fields, [`reports.${SHOP}`])
})

test('found by the overview: invented merchants, under whose URLs the reports of others are served', async () => {
  const twinOf = (address: string) => `0xfade${address.slice(6)}`
  const own = JSON.parse(await week.readRanking()).merchants.map(
    ({ address }: { address: string }) => address,
  )
  const double = (sums: Record<string, number>) => {
    for (const name of ['tx', 'usd', 'real_tx', 'real_usd']) sums[name] = 2 * Number(sums[name])
  }
  const differing = await listForged(
    {
      '/merchants.json': ({ merchants }) =>
        merchants.push(...own.map((address: string) => ({ ...merchants[0], address: twinOf(address) }))),
      '/overview.json': (overview) => {
        const newest = lastOf(overview)
        newest.merchants *= 2
        for (const sums of [newest, ...newest.facilitators, ...overview.days]) double(sums)
      },
    },
    (url) => own.reduce((to: string, address: string) => to.replace(twinOf(address), address), url),
  )
  assert.deepEqual(
    differing,
    own.map((address: string) => `reports.${twinOf(address)}`),
  )
})

test('found by the overview: a merchant that its ranking has twice, or in capitals, too', async () => {
  for (const twin of [SHOP, `0x${SHOP.slice(2).toUpperCase()}`]) {
    const double: Forge = ({ merchants }) => merchants.push({ ...merchants[0], address: twin })
    const count: Forge = (overview) => lastOf(overview).merchants++
    const differing = await listForged({ '/merchants.json': double, '/overview.json': count })
    assert.deepEqual(differing, [`weeks.${week.week}.merchants`])
  }
})

test('the newest window, earlier weeks and other days are named as not checked', async () => {
  const { checks } = await verifyForged({
    '/overview.json': (overview) => {
      overview.newest.real_usd = 1_000_000
      overview.weeks.unshift({ ...lastOf(overview), week: '2026-01-04' })
      overview.days.unshift({ ...overview.days[0], date: '2026-01-01' })
    },
  })
  const open = checks.filter(({ verdict }) => verdict === 'not_checked').map(({ field }) => field)
  for (const field of ['newest', 'weeks.2026-01-04', 'days.2026-01-01']) assert(open.includes(field), field)
})

test('found in the overview: an old week in the place of the newest, and a day that is in it twice', async () => {
  const older: Forge = ({ weeks }) => weeks.unshift({ ...weeks.at(-1), week: '2999-01-06' })
  assert.deepEqual(await listDifferences(older), ['weeks'])
  const twice: Forge = ({ days }) => days.push({ ...days.at(-1), real_usd: 1_000_000 })
  assert.deepEqual(await listDifferences(twice), ['days'])
})

test('what a report of the week leaves open is open in the overview', async () => {
  const lost = `/merchants/base/${SHOP}/payments.ndjson`
  const { isEqual, checks, notes } = await verifyForged({}, (url) => url.replace(lost, '/absent'))
  assert(isEqual)
  const evidence = checks.find(({ field }) => field === `reports.${SHOP}.evidence`)
  assert.equal(evidence?.verdict, 'not_checked')
  assert(notes.some((note) => note.startsWith(`${SHOP}: Not found: the evidence at `)))
})
