import { readBlock } from '../chain/blocks.ts'
import type { Address } from '../chain/hex.ts'
import { createReadRpc } from '../chain/rpc/read-rpc.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { loadConfig } from '../config.ts'
import { createDemoFacilitators } from '../devchain/demo-week/demo-wallet.ts'
import { createSafeFetch } from '../fetching/safe-fetch.ts'
import { BASE } from '../money/base.ts'
import { toUtcDate } from '../report/build/compose-report.ts'
import type { MerchantReport } from '../report/build/merchant-report.ts'
import { lastWeekEnd } from '../report/build/window.ts'
import { knownFacilitators } from '../report/chain/facilitators.ts'
import { readDiscovery } from '../report/listings/discovery.ts'
import type { Listing } from '../report/listings/listing.ts'
import { renderReportJson } from '../report/publish/merchant/report-json.ts'
import { computeReport } from '../report/verify/compute-report.ts'
import type { WindowKey } from '../report/verify/find-window.ts'
import { type Command, UsageError } from './command.ts'
import { createProgress } from './progress.ts'
import { renderReport } from './report/render-report.ts'
import { explainFailure } from './verify/explain-failure.ts'
import { chooseRpcUrl, RPC_HELP } from './verify/rpc-url.ts'

const UNPAID = 1

const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS

/** `tollbook report <address>`: computes a merchant's report from any node, without a server. */
export const report: Command = {
  name: 'report',
  summary: 'Print the report of a merchant, computed from the chain without a server.',
  usage: '<address> [options]',
  examples: ['report 0xf400b45c19097db4a0cd2efbe65c7d276827edbe --discovery http://127.0.0.1:4022'],
  options: {
    week: { type: 'string', value: 'date', help: 'the week that ends on this Sunday, YYYY-MM-DD' },
    'end-block': {
      type: 'string',
      value: 'number',
      help: 'the seven days before this block (default: the newest final one)',
    },
    rpc: { type: 'string', value: 'url', help: RPC_HELP },
    discovery: {
      type: 'string',
      multiple: true,
      value: 'url',
      help: 'a service whose /discovery/resources is read for listings',
    },
    facilitator: {
      type: 'string',
      multiple: true,
      value: 'address',
      help: 'a further facilitator, in addition to the known ones',
    },
    json: { type: 'boolean', help: 'print the JSON object that a server publishes' },
  },
  async run({ values, positionals }) {
    const [address, ...surplus] = positionals
    if (!address || surplus.length > 0) throw new UsageError('report needs exactly one address')
    const config = loadConfig()
    const merchant = readAddress(address)
    const key = readWindowKey(values.week, values['end-block'])
    const more = toList(values.facilitator).map(readAddress)
    const rpc = createReadRpc({ url: chooseRpcUrl(values.rpc, config) })
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
  },
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
  return knownFacilitators([
    ...more,
    ...(isBase ? [] : createDemoFacilitators().map((wallet) => wallet.address)),
  ])
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
