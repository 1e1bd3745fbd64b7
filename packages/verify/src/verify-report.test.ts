import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Address } from '@tollbook/chain/hex'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import { createSafeFetch, type SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { dropAddresses, FALSIFICATIONS } from '@tollbook/testing/report/falsifications'
import { assertNamed, forge } from '@tollbook/testing/report/falsified-report'
import { BAR, FACILITATOR, SHOP } from '@tollbook/testing/report/paid-week'
import { type PublishedWeek, publishPaidWeek } from '@tollbook/testing/report/published-week'
import { runProduct as run } from '@tollbook/testing/report/run-product'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import type { Check, Verdict } from './checks/check.ts'
import { type ClaimRecord, parseClaimRecord } from './checks/check-claim.ts'
import { parseRankingPage, type RankingLine } from './checks/check-ranking.ts'
import { loadPublished } from './load-published.ts'
import type { ReportInputs } from './published/inputs.ts'
import { parseInputs, parsePublishedReport } from './published/published-report.ts'
import { type Verification, verifyReport } from './verify-report.ts'

const signal = new AbortController().signal
let week: PublishedWeek
let remembering: Rpc
let published: Awaited<ReturnType<typeof readPublished>>
let claim: ClaimRecord | null

before(async () => {
  week = await publishPaidWeek()
  remembering = remember(createReadRpc({ url: week.chain.rpcUrl }))
  published = await readPublished(SHOP)
  claim = parseClaimRecord(JSON.parse(await week.read(SHOP, '/claim.json')))
})
after(() => week.close())

test('a published report equals the chain in every field that the chain decides', async () => {
  const { isEqual, checks } = await verify(published, createReadRpc({ url: week.chain.rpcUrl }))
  assert.deepEqual(namesOf(checks, 'differs'), [])
  assert(isEqual)
  assert.deepEqual(namesOf(checks, 'not_checked').sort(), ['generated_at', 'rank_by_real_revenue'])
  // 120 x 0.004 + 0.7, 5 x 0.5, 3 x 1, 0.25, 2 x 0.03 of a disclosed wallet, 0.09 of its own.
  const { tx, usd, real_tx, flags } = published.report
  assert.deepEqual(
    { tx, usd, real_tx, flags },
    {
      tx: 133,
      usd: 7.08,
      real_tx: 7,
      flags: {
        self_pay: { tx: 3, usd: 0.15 },
        round_trip: { tx: 3, usd: 3 },
        tiny_repeat: { tx: 120, usd: 0.48 },
      },
    },
  )
})

test("an unlisted and unclaimed merchant is verified as well, by its facilitators' payments", async () => {
  const unlisted = await readPublished(BAR)
  assert((await verify(unlisted)).isEqual)
  const { checks } = await verify(
    forge(unlisted, ({ inputs }) => dropAddresses(inputs, (address) => address !== FACILITATOR)),
  )
  assert(namesOf(checks, 'differs').includes('tx'))
})

test('a rank is compared with the published ranking', async () => {
  const { merchants } = parseRankingPage(JSON.parse(await week.readRanking()))
  const compare = async (ranking: readonly RankingLine[]) =>
    namesOf((await verify(published, remembering, ranking)).checks, 'differs')
  assert.deepEqual(await compare(merchants), [])
  const [first, second] = merchants
  assert(first && second)
  assert.deepEqual(await compare([second, first]), ['ranking.order'])
  assert.deepEqual(await compare([first]), ['ranking.merchants'])
  assert.deepEqual(await compare([first, { ...first, rank: 2 }]), ['ranking.merchants'])
  assert.deepEqual(
    await compare([
      { ...second, rank: 1 },
      { ...first, rank: 2 },
    ]),
    ['ranking.order', 'ranking.rank'],
  )
})

test('payments that an unreadable claim would have to confirm are named, as is a figure that is not stated', async () => {
  const { report, inputs, evidence } = published
  const { isEqual, notes } = await verifyReport(
    {
      report: parsePublishedReport(report),
      inputs,
      evidence,
      claim: undefined,
      rpc: remembering,
      now: new Date(),
    },
    signal,
  )
  assert(isEqual)
  assert.match(notes.join('\n'), /^2 of \d+ payments are flagged only because of disclosed wallets/m)
  const silent = forge(published, ({ report: changed }) => {
    delete changed.returning_buyers
  })
  assert(namesOf((await verify(silent)).checks, 'not_checked').includes('returning_buyers'))
})

test('a report of another method version cannot be checked, and is not reported as wrong', async () => {
  const other = forge(published, ({ inputs }) => {
    inputs.method.version = '0'
  })
  await assert.rejects(verify(other), { name: 'CannotCheck', message: /method version 0/ })
})

test('inputs of the older form, without schemes and floor, are verified by the prices', async () => {
  const changeSchemes = (schemes: readonly string[] | undefined, floor: string | undefined) =>
    forge(published, ({ report, inputs }) => {
      inputs.listings = inputs.listings.map((listing: object) => ({ ...listing, schemes }))
      // Metered prices attribute no payment.
      if (schemes) delete report.inferred_revenue
      inputs.floor = floor
    })
  assert((await verify(changeSchemes(undefined, undefined))).isEqual)
  // If the shop were metered, smaller payments would count.
  assert((await verify(changeSchemes(['upto'], '1000'))).isEqual)
  for (const [schemes, floor] of [
    [['upto'], '4000'],
    [undefined, '1000'],
  ] as const) {
    const { checks } = await verify(changeSchemes(schemes, floor))
    assert.deepEqual(namesOf(checks, 'differs'), ['inputs.floor'])
  }
})

for (const [name, field, falsify] of FALSIFICATIONS)
  test(`found: ${name}`, async () => {
    const { isEqual, checks } = await verify(forge(published, falsify))
    const named = namesOf(checks, 'differs')
    assertNamed(field, named)
    assert(!isEqual)
  })

test('a node that accepts few blocks at once receives smaller requests', async () => {
  const requestedBlocks: number[] = []
  const small = changeCalls(remembering, (method, [filter], answer) => {
    const { fromBlock, toBlock } = Object(filter) as { fromBlock: string; toBlock: string }
    const blocks = Number(toBlock) - Number(fromBlock) + 1
    if (method !== 'eth_getLogs') return answer()
    requestedBlocks.push(blocks)
    if (blocks > 5) throw new RpcRefusal(method, { code: -32005, message: 'range too large' })
    return answer()
  })
  assert((await verify(published, small)).isEqual)
  assert(Math.max(...requestedBlocks) > 5 && requestedBlocks.filter((blocks) => blocks <= 5).length >= 8)
})

test('a node that lacks the blocks of the window, or lags behind, cannot check it', async () => {
  const pruned = changeCalls(remembering, (method, params, answer) =>
    method === 'eth_getBlockByNumber' && Number(params[0]) > 0 ? null : answer(),
  )
  await assert.rejects(verify(published, pruned), { name: 'CannotCheck', message: /does not have block/ })
  const lagging = changeCalls(remembering, (method, [block, ...more], answer) =>
    method === 'eth_getBlockByNumber' && block === 'latest'
      ? remembering.call(method, ['0x3', ...more], signal)
      : answer(),
  )
  await assert.rejects(verify(published, lagging), {
    name: 'CannotCheck',
    message: /before the window's end/,
  })
})

test('the exit code of the command states the result', async () => {
  const at = `${week.url}/merchants/base/${SHOP}`
  const rpc = ['--rpc', week.chain.rpcUrl]
  const equal = await run(['verify', `${at}?week=${week.week}`, ...rpc, '--ranking'])
  assert.equal(equal.code, 0, equal.stderr)
  assert.match(equal.stdout, /^flags\.tiny_repeat\.tx +equal +120/m)
  assert.match(equal.stdout, /^ranking\.rank +equal +1$/m)
  assert.match(equal.stdout, /^The report equals what the chain shows: \d+ equal, 0 differ, /m)

  const file = join(temporaryFolder('verify'), 'report.json')
  writeFileSync(file, JSON.stringify({ ...published.report, real_usd: 99 }))
  const inputs = ['--inputs', `${at}/inputs.json?week=${week.week}`]
  const forged = await run(['verify', file, ...inputs, ...rpc, '--json'])
  assert.equal(forged.code, 1, forged.stderr)
  const { verdict, differences } = JSON.parse(forged.stdout)
  assert.equal(verdict, 'differs')
  assert.deepEqual(differences[0], {
    field: 'real_usd',
    verdict: 'differs',
    published: 99,
    recomputed: 3.45,
  })

  const unreachable = await run(['verify', file, ...inputs, '--rpc', 'http://127.0.0.1:1', '--json'])
  assert.equal(unreachable.code, 69)
  assert.equal(JSON.parse(unreachable.stdout).verdict, 'could_not_check')
})

test('a requested ranking that cannot be read, and evidence that is too long, are no success', async () => {
  const report = `${week.url}/merchants/base/${SHOP}.json?week=${week.week}`
  const fetchAny = createSafeFetch({ allowPrivateNetwork: true })
  const loadWith = (
    path: string,
    { maxBytes, ...changed }: { maxBytes?: number; status?: number; body?: Buffer },
  ) => {
    const fetchTyped: SafeFetch = async (url, options) => {
      if (!new URL(String(url)).pathname.endsWith(path)) return fetchAny(url, options)
      return {
        ...(await fetchAny(url, maxBytes === undefined ? options : { ...options, maxBytes })),
        ...changed,
      }
    }
    const source = { fetchPublic: fetchTyped, fetchTyped }
    return loadPublished({ report, withRanking: true }, source, signal)
  }
  for (const status of [404, 410, 500])
    await assert.rejects(loadWith('/merchants.json', { status }), { name: 'CannotCheck' })
  const other = { body: Buffer.from('{}') }
  await assert.rejects(loadWith('/merchants.json', other), { name: 'UnusableDocument' })
  await assert.rejects(loadWith('/payments.ndjson', { maxBytes: 10 }), { name: 'UnusableDocument' })
})

test('a report computed without a server equals a published one, except for data only a server has', async () => {
  const words = ['report', BAR, '--rpc', week.chain.rpcUrl, '--week', week.week, '--facilitator', FACILITATOR]
  const { stdout, stderr, code } = await run([...words, '--json'])
  assert.equal(code, 0, stderr)
  const { report } = await readPublished(BAR)
  const { generated_at, page, badge, ...made } = JSON.parse(stdout)
  assert.deepEqual(made, { ...omit(report, ['generated_at', 'page', 'badge']), rank_by_real_revenue: null })
  assert(badge.startsWith(page) && generated_at > report.window.end)
})

type Documents = {
  // biome-ignore lint/suspicious/noExplicitAny: a report that may have been changed in any way
  readonly report: any
  readonly inputs: unknown
  readonly evidence: string
}

async function readPublished(merchant: Address): Promise<Documents & { readonly inputs: ReportInputs }> {
  return {
    report: JSON.parse(await week.read(merchant, '.json')),
    inputs: parseInputs(JSON.parse(await week.read(merchant, '/inputs.json'))),
    evidence: await week.read(merchant, '/payments.ndjson'),
  }
}

function verify(
  { report, inputs, evidence }: Documents,
  rpc = remembering,
  ranking?: readonly RankingLine[],
): Promise<Verification> {
  const parsed = parsePublishedReport(JSON.parse(JSON.stringify(report)))
  const own = parsed.address === SHOP ? claim : null
  const provided = { report: parsed, inputs: parseInputs(inputs), evidence, claim: own, ranking }
  return verifyReport({ ...provided, rpc, now: new Date() }, signal)
}

function namesOf(checks: readonly Check[], verdict: Verdict): string[] {
  return checks.filter((check) => check.verdict === verdict).map(({ field }) => field)
}

function omit(record: Readonly<Record<string, unknown>>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
}

type Change = (method: string, params: readonly unknown[], answer: () => Promise<unknown>) => unknown

/** A node with modified behaviour. */
function changeCalls(rpc: Rpc, change: Change): Rpc {
  const call: Rpc['call'] = async (method, params, signal) =>
    change(method, params, () => rpc.call(method, params, signal))
  return { call, batch: batchOf(call) }
}

function batchOf(call: Rpc['call']): Rpc['batch'] {
  return (requests, signal) => Promise.all(requests.map(({ method, params }) => call(method, params, signal)))
}

/** A node that caches the answer to each request: the chain does not move. */
function remember(rpc: Rpc): Rpc {
  const answers = new Map<string, Promise<unknown>>()
  const call: Rpc['call'] = (method, params, signal) => {
    const key = JSON.stringify([method, params])
    const answer = answers.get(key) ?? rpc.call(method, params, signal)
    answers.set(key, answer)
    return answer
  }
  return { call, batch: batchOf(call) }
}
