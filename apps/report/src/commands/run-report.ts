import { readBlock } from '@tollbook/chain/blocks'
import type { Address } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { createProgress } from '@tollbook/flow/progress'
import { UsageError } from '@tollbook/flow/usage-error'
import type { Config } from '@tollbook/runtime/config'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { toUtcDate } from '@tollbook/verify/build/compose-report'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import { lastWeekEnd } from '@tollbook/verify/build/window'
import { knownFacilitators } from '@tollbook/verify/chain/facilitators'
import { explainFailure } from '@tollbook/verify/explain-failure'
import type { WindowKey } from '@tollbook/verify/published/find-window'
import { computeReport } from '@tollbook/verify/recompute/compute-report'
import { renderReportJson } from '../editions/report-json.ts'
import { readDiscovery } from '../listings/discovery.ts'
import type { Listing } from '../listings/listing.ts'
import { requireReports } from '../open/report-network.ts'

type Request = {
  readonly values: Readonly<Record<string, unknown>>
  readonly positionals: readonly string[]
  readonly config: Config
  /** JSON-RPC of the chain. */
  readonly rpcUrl: string
}

const UNPAID = 1

const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS

/** `tollbook report`: computed from the chain alone. @returns the exit code. @throws UsageError */
export async function runReport({ values, positionals, config, rpcUrl }: Request): Promise<number> {
  const [address, ...surplus] = positionals
  if (!address || surplus.length > 0) throw new UsageError('report needs exactly one address')
  requireReports(config)
  const merchant = readAddress(address)
  const key = readWindowKey(values.week, values['end-block'])
  const more = toList(values.facilitator).map(readAddress)
  const rpc = createReadRpc({ url: rpcUrl })
  const baseUrl =
    config.TOLLBOOK_REPORT_BASE_URL ?? `http://${config.TOLLBOOK_HOST}:${config.TOLLBOOK_REPORT_PORT}`
  const abort = new AbortController()
  process.once('SIGINT', () => abort.abort(new Error('interrupted')))
  const { signal } = abort
  const now = new Date()
  const { phase } = createProgress()
  try {
    const listings = await readListings(toList(values.discovery), { merchant, readAt: now, signal })
    const made = await phase('chain', async ({ at }) => {
      const facilitators = await listFacilitators(rpc, more, signal)
      const request = { rpc, merchant, key, facilitators, listings, baseUrl, now, onProgress: at }
      return computeReport(request, signal)
    })
    return print(made, values.json === true)
  } catch (error) {
    const failure = explainFailure(error)
    if (!failure) throw error
    process.stderr.write(`tollbook report: ${failure.reason}\n`)
    return failure.exitCode
  }
}

/** The user typed the sources, so they may be on this machine. */
async function readListings(
  sources: readonly string[],
  read: { readonly merchant: Address; readonly readAt: Date; readonly signal: AbortSignal },
): Promise<readonly Listing[]> {
  const fetch = createSafeFetch({ allowPrivateNetwork: true })
  const listings: Listing[] = []
  for (const source of sources) listings.push(...(await readDiscovery({ ...read, source, fetch })))
  return listings.filter(({ payTo }) => payTo === read.merchant)
}

/** The known ones of Base; on any other chain also those of the demo week. */
async function listFacilitators(
  rpc: Rpc,
  more: readonly Address[],
  signal: AbortSignal,
): Promise<ReadonlySet<Address>> {
  const genesis = await readBlock(rpc, 0, signal)
  const isBase = genesis?.timestamp === BASE.genesisSeconds
  return knownFacilitators([...more, ...(isBase ? [] : await listDemoFacilitators())])
}

/** Only a local chain needs its package. */
async function listDemoFacilitators(): Promise<readonly Address[]> {
  const { createDemoFacilitators } = await import('@tollbook/devchain/demo-week/demo-wallet')
  return createDemoFacilitators().map((wallet) => wallet.address)
}

function print(made: MerchantReport | null, asJson: boolean): number {
  if (!made) {
    process.stderr.write('no x402 payment to this wallet in the window\n')
    return UNPAID
  }
  process.stdout.write(asJson ? renderReportJson(made) : renderReport(made))
  return 0
}

function toList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** @throws UsageError if it is not an address. */
function readAddress(text: string): Address {
  const address = text.toLowerCase()
  if (!/^0x[0-9a-f]{40}$/.test(address)) throw new UsageError(`not an address: ${text}`)
  return address as Address
}

/** The window of `--week` or `--end-block`; undefined for neither. @throws UsageError for invalid ones. */
function readWindowKey(week: unknown, endBlock: unknown): WindowKey | undefined {
  if (week !== undefined && endBlock !== undefined)
    throw new UsageError('--week and --end-block exclude each other')
  if (typeof endBlock === 'string') {
    if (!/^[1-9]\d{0,14}$/.test(endBlock))
      throw new UsageError(`--end-block must be a block number; not ${endBlock}`)
    return { endBlock: Number(endBlock) }
  }
  return typeof week === 'string' ? { end: readWeekEnd(week) } : undefined
}

/** Weeks end just after Sunday noon, UTC. */
function readWeekEnd(week: string): number {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(week) ? Date.parse(week) / 1000 : Number.NaN
  if (Number.isNaN(start)) throw new UsageError(`--week must be a date, YYYY-MM-DD; not ${week}`)
  const end = lastWeekEnd(start + DAY_SECONDS)
  if (toUtcDate(end) === week) return end
  throw new UsageError(
    `weeks end on Sundays, and ${week} is not a Sunday: use ${toUtcDate(end)} or ${toUtcDate(end + WEEK_SECONDS)}`,
  )
}

function renderReport(report: MerchantReport): string {
  const { window, paid } = report
  const flags = Object.entries(report.flags).map(([kind, { tx, usd }]) => [kind, String(tx), toUsd(usd)])
  const days = report.daily.map((day) => [day.date, String(day.tx), toUsd(day.usd), toUsd(day.real_usd)])
  const offers = report.bazaar_listings.map((listing) => [`$${listing.price_usd}`, listing.resource])
  return [
    report.claim,
    '',
    `${report.address}  blocks ${window.start_block} to ${window.end_block}${window.complete ? '' : ', not final yet'}`,
    `${window.start} to ${window.end}`,
    '',
    renderColumns([
      ['', 'reported', 'real'],
      ['payments', String(report.tx), String(report.real_tx)],
      ['dollars', toUsd(report.usd), toUsd(report.real_usd)],
      ['buyers', String(report.buyers), String(report.real_buyers)],
    ]),
    '',
    `a payment: median $${paid.median}, quartiles $${paid.p25} and $${paid.p75}, median of passing $${paid.median_passing}`,
    `largest buyer: ${(report.top_buyer_share * 100).toFixed(2)}% of the dollars`,
    '',
    flags.length === 0
      ? 'No payment is flagged.'
      : renderColumns([['flag', 'payments', 'dollars'], ...flags]),
    ...(flags.length === 0 ? [] : [report.flag_note]),
    '',
    renderColumns([['day', 'payments', 'dollars', 'real'], ...days]),
    ...(offers.length === 0 ? [] : ['', renderColumns([['price', 'endpoint'], ...offers])]),
    '',
  ].join('\n')
}

function toUsd(dollars: number): string {
  return `$${dollars.toFixed(2)}`
}

/** The first column is left-aligned, the others right-aligned; text at the end of a line is not padded. */
function renderColumns(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.length ?? 0
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  )
  const isText = (at: number) => at === 0 || (at === columns - 1 && rows[0]?.[at] === 'endpoint')
  return rows
    .map((row) =>
      row
        .map((cell, at) => (isText(at) ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
