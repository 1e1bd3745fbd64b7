import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Address } from '@tollbook/chain/hex'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import {
  type Call,
  sendCall,
  toAuthorizedTransfer,
  toBatch,
  toPlainTransfer,
} from '@tollbook/testing/report/chain-payments'
import { assertNamed, forge } from '@tollbook/testing/report/falsified-report'
import { GROUP_FALSIFICATIONS } from '@tollbook/testing/report/group-falsifications'
import { BAR, FACILITATOR, SHOP, SHOP_ACCOUNT, walletOf } from '@tollbook/testing/report/paid-week'
import { type PublishedWeek, publishPaidWeek, toListing } from '@tollbook/testing/report/published-week'
import { lastWeekEnd } from '@tollbook/verify/build/window'
import { parseRankingPage } from '@tollbook/verify/checks/check-ranking'
import { loadPublished } from '@tollbook/verify/load-published'
import type { ReportInputs } from '@tollbook/verify/published/inputs'
import { parseInputs, parsePublishedReport } from '@tollbook/verify/published/published-report'
import { verifyReport } from '@tollbook/verify/verify-report'

const WEEK_SECONDS = 7 * 86_400
const [MULE, WEST_ACCOUNT] = [4, 8]
const WEST = walletOf(WEST_ACCOUNT)
const WALLETS = [SHOP, WEST].sort()
const HOST = 'host:weather.example' as unknown as Address
const AT = `/merchants/base/${HOST}`
const OWN_DOCUMENT = 'https://weather.example/openapi.json'
const LISTINGS = [toListing('/east', 4_000n), toListing('/west', 2_000n, WEST)]
const signal = new AbortController().signal

let week: PublishedWeek
before(async () => {
  week = await publishPaidWeek({
    play,
    sources: ['https://one.example', 'https://two.example', OWN_DOCUMENT].map((source) => [source, LISTINGS]),
  })
})
after(() => week.close())

/**
 * The shop sells from two wallets. In dollars:
 *   account 1: 2 x 0.5 to the shop and 0.3 to west, of its own money
 *   account 2: 1 to the shop; west returns 0.6
 *   the shop: 0.09 to west
 *   account 3: 0.6 to west; the shop sent 0.7 to a mule, and the mule 0.65 to it
 *   account 5: 1.9 to the bar, another merchant
 */
async function play(chain: DevChain): Promise<number> {
  const end = lastWeekEnd(Math.floor(Date.now() / 1000))
  let salt = 0
  const pay = (payer: number, to: Address, amount: bigint) =>
    toAuthorizedTransfer({ payer, to, amount, salt: `group week ${salt++}` })
  const send = (call: Call, from: Address = FACILITATOR) => sendCall(chain, from, call)
  await chain.fundGas(FACILITATOR)
  await chain.skipTime(end - WEEK_SECONDS - chain.genesisSeconds + 3600)
  await send(
    toBatch([
      await pay(1, SHOP, 500_000n),
      await pay(1, SHOP, 500_000n),
      await pay(1, WEST, 300_000n),
      await pay(2, SHOP, 1_000_000n),
      await pay(5, BAR, 1_900_000n),
      await pay(SHOP_ACCOUNT, WEST, 90_000n),
    ]),
  )
  await send(toPlainTransfer(walletOf(2), 600_000n), WEST)
  await send(toPlainTransfer(walletOf(MULE), 700_000n), SHOP)
  await send(toPlainTransfer(walletOf(3), 650_000n), walletOf(MULE))
  await send(await pay(3, WEST, 600_000n))
  await chain.skipTime(WEEK_SECONDS - 1800)
  await send(await pay(1, SHOP, 60_000n))
  // The newest block is not in a window.
  await chain.skipTime(2)
  await send(toPlainTransfer(walletOf(MULE), 1n), walletOf(1))
  return end
}

// biome-ignore lint/suspicious/noExplicitAny: any document of the service
const readJson = async (path: string): Promise<any> => (await week.request(path)).json()

test('the wallets of a merchant group are screened as one, and their own reports stay as they are', async () => {
  const { wallets, ...report } = JSON.parse(await week.read(HOST, '.json'))
  assert.deepEqual(wallets, WALLETS)
  assert.deepEqual([report.address, report.name, report.claimed], [HOST, 'weather.example', false])
  assert.deepEqual([report.tx, report.usd, report.real_tx, report.real_usd], [6, 2.99, 3, 1.3])
  assert.deepEqual([report.buyers, report.real_buyers], [4, 1])
  assert.deepEqual(report.flags, {
    self_pay: { tx: 1, usd: 0.09 },
    round_trip: { tx: 1, usd: 1 },
    funded_by_merchant: { tx: 1, usd: 0.6 },
  })
  // The returns came from the other wallet each time.
  const [shop, west] = await Promise.all(
    [SHOP, WEST].map(async (wallet) => JSON.parse(await week.read(wallet, '.json'))),
  )
  assert.deepEqual([shop.tx, shop.real_usd, shop.flags, shop.wallets], [3, 2, {}, undefined])
  assert.deepEqual([west.tx, west.real_usd, west.flags], [3, 0.99, {}])
  assert.deepEqual(
    report.bazaar_listings.map(({ resource }: { resource: string }) => resource),
    ['https://weather.example/west', 'https://weather.example/east'],
  )
})

test('the ranking by group counts the wallets of a merchant as one', async () => {
  const rank = async (by: 'wallet' | 'group' | 'operator') =>
    parseRankingPage(JSON.parse(await week.readRanking(by))).merchants.map((each) => [
      each.rank,
      each.address,
    ])
  assert.deepEqual(await rank('wallet'), [
    [1, SHOP],
    [2, BAR],
    [3, WEST],
  ])
  // `operator` is the name of version 1.0.
  for (const by of ['group', 'operator'] as const)
    assert.deepEqual(await rank(by), [
      [1, BAR],
      [2, HOST],
    ])
  assert.equal(JSON.parse(await week.read(HOST, '.json')).rank_by_real_revenue, 2)
  const readPage = async (path: string) => (await week.request(path)).text()
  const page = await readPage(`/?week=${week.week}`)
  const href = `/?week=${week.week}&amp;by=group`
  assert.ok(page.includes(`<a href="${href}">`) && !page.includes(`href="${AT}`))
  assert.match(
    await readPage(href.replace('&amp;', '&')),
    new RegExp(`<a href="${AT}\\?week=.*several wallets`),
  )
})

test('windows of other lengths have merchant groups, too', async () => {
  // After the week, 0.06 to the shop.
  const report = await readJson(`${AT}.json?days=1`)
  assert.deepEqual([report.tx, report.real_usd, report.wallets], [1, 0.06, WALLETS])
  const { merchants } = await readJson('/merchants.json?by=group&days=1')
  assert.deepEqual(
    merchants.map(({ rank, address }: RankedWallet) => [rank, address]),
    [[1, HOST]],
  )
})

test('page, badge, weeks, search and catalogue have the merchant group', async () => {
  const page = await (await week.request(AT)).text()
  for (const wallet of WALLETS) assert.match(page, new RegExp(`href="/merchants/base/${wallet}"`))
  // Payments and claims are those of the wallets.
  assert.doesNotMatch(page, /payments\.csv|\/claims\?/)
  assert.match(await (await week.request(`/merchants/base/${WEST}`)).text(), new RegExp(`href="${AT}"`))
  assert.match((await readJson(`${AT}/badge.json?metric=rank&week=${week.week}`)).message, /2/)
  assert.equal((await readJson(`${AT}/weeks.json`)).weeks.length, 1)
  assert.equal(
    (await week.request(`${AT.toUpperCase().replace(/^.*HOST/, '/merchants/base/host')}.json`)).status,
    200,
  )
  // As clients write it that encode the value of a parameter.
  assert.equal((await week.request(`${AT.replace('host:', 'host%3A')}.json`)).status, 200)
  const params = { name: 'report', arguments: { address: HOST } }
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const { result } = JSON.parse(
    await (await week.request('/mcp', { method: 'POST', headers, body: message })).text(),
  )
  assert.equal(result.structuredContent.address, HOST)
  for (const path of ['/payments.csv', '/claim.json'])
    assert.equal((await week.request(`${AT}${path}`)).status, 404, path)
  const found = await readJson('/search?q=weather&by=group')
  assert.deepEqual(
    found.merchants.map(({ address }: { address: string }) => address),
    [HOST],
  )
  const { items } = await readJson('/discovery/resources')
  assert.ok(items[0].extensions.tollbook.merchant.report.endsWith(AT))
})

test('the report of a merchant group is recomputed from the chain', async () => {
  const { checks, isEqual } = await verify()
  assert.deepEqual(
    checks.filter(({ verdict }) => verdict === 'differs'),
    [],
  )
  assert.ok(isEqual)
  const verdictOf = (field: string) => checks.find((check) => check.field === field)?.verdict
  assert.deepEqual(['real_usd', 'flags.funded_by_merchant.usd', 'ranking.rank', 'wallets.0'].map(verdictOf), [
    'equal',
    'equal',
    'equal',
    'from_inputs',
  ])
})

test('the verify command finds the documents of a merchant group', async () => {
  const location = `${week.url}${AT}?week=${week.week}`
  const fetch = createSafeFetch({ allowPrivateNetwork: true })
  const source = { fetchPublic: fetch, fetchTyped: fetch }
  const { report, inputs, ranking, notes } = await loadPublished(
    { report: location, withRanking: true },
    source,
    signal,
  )
  assert.deepEqual([report.address, inputs.wallets, notes], [HOST, WALLETS, []])
  assert.deepEqual(
    ranking?.map(({ address }) => address),
    [BAR, HOST],
  )
})

for (const [name, field, falsify] of GROUP_FALSIFICATIONS)
  test(`found: ${name}`, async () => {
    const { checks } = await verify((documents) => forge({ ...documents, evidence: '' }, falsify))
    assertNamed(
      field,
      checks.filter(({ verdict }) => verdict === 'differs').map((check) => check.field),
    )
  })

test('inputs of a merchant group without its wallets are refused', async () => {
  const dropWallets = ({ report, inputs }: Documents) => ({
    report,
    inputs: { ...inputs, wallets: undefined },
  })
  await assert.rejects(verify(dropWallets), { name: 'UnusableDocument', message: /no wallets/ })
})

test('wallets that are no longer proven to be one have no common report', async () => {
  assert.equal((await week.request(`${AT}.json`)).status, 200)
  await week.publishAgain('https://two.example', [])
  assert.equal((await week.request(`${AT}.json`)).status, 404)
  assert.doesNotMatch(await (await week.request(`/merchants/base/${SHOP}`)).text(), /several wallets/)
  const { merchants } = await readJson('/merchants.json?by=operator')
  assert.deepEqual(
    merchants.map(({ rank, address }: RankedWallet) => [rank, address]),
    [
      [1, SHOP],
      [2, BAR],
      [3, WEST],
    ],
  )
  // A published week keeps its merchant groups, also when it is computed again.
  assert.equal(await week.correct(), 0)
  assert.equal(JSON.parse(await week.read(HOST, '.json')).usd, 2.99)
})

type RankedWallet = { readonly rank: number; readonly address: string }

type Documents = { readonly report: unknown; readonly inputs: ReportInputs }

async function verify(
  falsify: (documents: Documents) => { readonly report: unknown; readonly inputs: unknown } = (same) => same,
) {
  const documents = falsify({
    report: JSON.parse(await week.read(HOST, '.json')),
    inputs: parseInputs(JSON.parse(await week.read(HOST, '/inputs.json'))),
  })
  return verifyReport(
    {
      report: parsePublishedReport(documents.report),
      inputs: parseInputs(documents.inputs),
      claim: undefined,
      evidence: undefined,
      ranking: parseRankingPage(JSON.parse(await week.readRanking('operator'))).merchants,
      rpc: createReadRpc({ url: week.chain.rpcUrl }),
      now: new Date(),
    },
    signal,
  )
}
