import type { Address } from '@tollbook/chain/hex'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { type AtomicUsdc, toUsdNumber } from '@tollbook/chain/usdc'
import { toUtcDate } from './build/compose-report.ts'
import { type Check, type CheckedValue, checkRule, compare } from './checks/check.ts'
import { loadPublished, loadRanking } from './load-published.ts'
import { CannotCheck, UnusableDocument } from './published/failure.ts'
import { isGroupKey } from './published/group-key.ts'
import type { Sums as PublishedSums } from './published/overview.ts'
import { listInnerDates, type Overview, overviewShape } from './published/overview.ts'
import { type DocumentSource, parseJsonDocument, readDocument } from './published/read-document.ts'
import type { ScreenedPayment } from './recompute/recompute.ts'
import { type ReportVerification, type Verification, verifyReport } from './verify-report.ts'

const PATH = /\/overview(?:\.json)?$/
const MAX_BYTES = 16_000_000

export type OverviewToVerify = {
  /** URL of the overview, typed by a person. */
  readonly url: string
  readonly source: DocumentSource
  readonly rpc: Rpc
  readonly now: Date
  readonly onProgress?: (done: number, total: number, unit: 'merchants') => void
}

export function isOverview(location: string): boolean {
  return PATH.test(URL.parse(location)?.pathname ?? '')
}

/**
 * Verifies every report of an overview's newest week, and the overview by the sums of what the chain shows.
 * @throws CannotCheck if it has no such week; what verifyReport throws.
 */
export async function verifyOverview(options: OverviewToVerify, signal: AbortSignal): Promise<Verification> {
  const { url, source, rpc, now, onProgress } = options
  const base = url.replace(/[?#].*$/, '').replace(PATH, '')
  const read = async (at: string) => {
    const name = 'the overview or its ranking'
    const document = await readDocument(at, { source, name, maxBytes: MAX_BYTES, isTyped: true }, signal)
    if (!document) throw new CannotCheck(`not found: ${name} at ${at} (404)`)
    return parseJsonDocument(document, name)
  }
  const { data: overview } = overviewShape.safeParse(await read(`${base}/overview.json`))
  if (!overview) throw new UnusableDocument('the document is not an overview')
  const week = overview.weeks.at(-1)
  if (!week || week.buyers === null)
    throw new CannotCheck('the overview has no published week of this version of the method')
  const query = `?week=${week.week}&revision=${week.revision}`
  const lines = await loadRanking(`${base}/merchants.json${query}`, read)
  // The payments of a merchant that is in it twice, or also in a group, would count twice.
  const merchants = new Set(
    lines.map(({ address }) => address.toLowerCase()).filter((each) => !isGroupKey(each)),
  )
  const field = createField()
  const found: Check[] = []
  const notes = ['A merchant that the ranking of the week leaves out is not found.']
  let done = 0
  for (const address of merchants) {
    const report = `${base}/merchants/base/${address}.json${query}`
    const published = await loadPublished({ report }, source, signal)
    const verified = await verifyReport({ ...published, rpc, now }, signal)
    const at = `reports.${address}`
    const differences = verified.checks
      .filter(({ verdict }) => verdict === 'differs')
      .map((each) => each.field)
    if (!verified.isEqual) found.push(checkRule(false, { field: at, published: differences.join(', ') }))
    found.push(...listOpenDocuments(at, verified))
    notes.push(...[...published.notes, ...verified.notes].map((note) => `${address}: ${note}`))
    field.add(verified.recomputed)
    done += 1
    onProgress?.(done, merchants.size, 'merchants')
  }
  const at = `weeks.${week.week}`
  const checks = [
    ...found,
    compare({ field: `${at}.merchants`, published: week.merchants, expected: merchants.size }),
    ...compareSums(at, week, field.all()),
    compare({ field: `${at}.buyers`, published: week.buyers, expected: field.buyers.size }),
    compare({ field: `${at}.real_buyers`, published: week.real_buyers, expected: field.realBuyers.size }),
    ...checkFacilitators(at, week.facilitators, field.byFacilitator),
    ...checkDays(overview.days, { week: week.week, found: field.byDay }),
    ...listOthers(overview, week.week),
  ]
  return { isEqual: checks.every(({ verdict }) => verdict !== 'differs'), checks, notes }
}

/** What a report left open beside its fields: its evidence and its inputs. */
function listOpenDocuments(at: string, { checks }: Verification): readonly Check[] {
  return checks
    .filter(({ verdict, field }) => verdict === 'not_checked' && /^(evidence|inputs)\b/.test(field))
    .map((check) => ({ ...check, field: `${at}.${check.field}` }))
}

/** The order of weeks and days, and what only other reports can show. */
function listOthers({ newest, weeks, days }: Overview, verified: string): readonly Check[] {
  const leaveOpen = (field: string, published: CheckedValue): Check => ({
    field,
    verdict: 'not_checked',
    published,
    note: 'only the newest published week is recomputed',
  })
  const inner = listInnerDates(verified)
  const otherDays = days.filter(({ date }) => !inner.includes(date))
  return [
    checkAscending(
      'weeks',
      weeks.map(({ week }) => week),
    ),
    checkAscending(
      'days',
      days.map(({ date }) => date),
    ),
    ...(newest ? [leaveOpen('newest', newest.real_usd)] : []),
    ...weeks.slice(0, -1).map((week) => leaveOpen(`weeks.${week.week}`, week.real_usd)),
    ...otherDays.map((day) => leaveOpen(`days.${day.date}`, day.real_usd)),
  ]
}

function checkAscending(field: string, dates: readonly string[]): Check {
  const isAscending = dates.every((date, at) => at === 0 || String(dates[at - 1]) < date)
  return checkRule(isAscending, { field, published: dates.length, note: 'dates must ascend' })
}

type Sums = { tx: number; amount: AtomicUsdc; realTx: number; realAmount: AtomicUsdc }
const NOTHING: Readonly<Sums> = Object.freeze({ tx: 0, amount: 0n, realTx: 0, realAmount: 0n })

function createField() {
  const byFacilitator = new Map<string, Sums>()
  const byDay = new Map<string, Sums>()
  const [buyers, realBuyers] = [new Set<Address>(), new Set<Address>()]
  return {
    byFacilitator,
    byDay,
    buyers,
    realBuyers,
    all: () => addUp([...byDay.values()]),
    add({ payments, floor }: ReportVerification['recomputed']) {
      for (const payment of payments) {
        const part = toSums(payment, payment.amount >= floor)
        addTo(byFacilitator, payment.facilitator, part)
        addTo(byDay, toUtcDate(payment.timestamp), part)
        if (part.tx > 0) buyers.add(payment.buyer)
        if (part.realTx > 0) realBuyers.add(payment.buyer)
      }
    },
  }
}

function toSums({ amount, flag }: ScreenedPayment, isCounted: boolean): Sums {
  const tx = isCounted ? 1 : 0
  return flag === null
    ? { tx, amount, realTx: tx, realAmount: amount }
    : { tx, amount, realTx: 0, realAmount: 0n }
}

function addTo(sums: Map<string, Sums>, key: string, part: Sums): void {
  sums.set(key, addUp([sums.get(key) ?? NOTHING, part]))
}

function addUp(parts: readonly Readonly<Sums>[]): Sums {
  return parts.reduce(
    (sum, part) => ({
      tx: sum.tx + part.tx,
      amount: sum.amount + part.amount,
      realTx: sum.realTx + part.realTx,
      realAmount: sum.realAmount + part.realAmount,
    }),
    NOTHING,
  )
}

function compareSums(field: string, published: PublishedSums, sums: Readonly<Sums>): readonly Check[] {
  return [
    compare({ field: `${field}.tx`, published: published.tx, expected: sums.tx }),
    compare({ field: `${field}.usd`, published: published.usd, expected: toUsdNumber(sums.amount) }),
    compare({ field: `${field}.real_tx`, published: published.real_tx, expected: sums.realTx }),
    compare({
      field: `${field}.real_usd`,
      published: published.real_usd,
      expected: toUsdNumber(sums.realAmount),
    }),
  ]
}

/** The publisher chooses names; their wallets and sums are on the chain. */
function checkFacilitators(
  week: string,
  published: Overview['weeks'][number]['facilitators'],
  found: ReadonlyMap<string, Sums>,
): readonly Check[] {
  const named = published.flatMap(({ addresses }) => addresses)
  const missing = [...found.keys()].filter((address) => !named.includes(address))
  return [
    checkRule(missing.length === 0 && new Set(named).size === named.length, {
      field: `${week}.facilitators`,
      published: named.length,
      ...(missing.length > 0 && { note: `missing: ${missing.slice(0, 3).join(', ')}` }),
    }),
    ...published.flatMap((each) => {
      const field = `${week}.facilitators.${each.addresses[0] ?? each.name}`
      const sums = addUp(each.addresses.map((address) => found.get(address) ?? NOTHING))
      const name = { field: `${field}.name`, verdict: 'from_inputs' as const, published: each.name }
      return [name, ...compareSums(field, each, sums)]
    }),
  ]
}

/** Dates of the week alone. */
function checkDays(
  published: Overview['days'],
  { week, found }: { readonly week: string; readonly found: ReadonlyMap<string, Sums> },
): readonly Check[] {
  return listInnerDates(week).flatMap((date) => {
    const own = published.find((day) => day.date === date)
    const sums = found.get(date)
    if (!own && !sums) return []
    const none = { tx: 0, usd: 0, real_tx: 0, real_usd: 0 }
    return compareSums(`days.${date}`, own ?? none, sums ?? NOTHING)
  })
}
