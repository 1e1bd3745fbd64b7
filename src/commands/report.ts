import { readBlock } from '../chain/blocks.ts'
import type { Address } from '../chain/hex.ts'
import { createReadRpc } from '../chain/rpc/read-rpc.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { loadConfig } from '../config.ts'
import { createDemoFacilitators } from '../devchain/demo-week/demo-wallet.ts'
import { createSafeFetch } from '../fetching/safe-fetch.ts'
import { BASE } from '../money/base.ts'
import type { MerchantReport } from '../report/build/merchant-report.ts'
import { knownFacilitators } from '../report/chain/facilitators.ts'
import { readDiscovery } from '../report/listings/discovery.ts'
import type { Listing } from '../report/listings/listing.ts'
import { renderReportJson } from '../report/publish/merchant/report-json.ts'
import { computeReport } from '../report/verify/compute-report.ts'
import { type Command, UsageError } from './command.ts'
import { createProgress } from './progress.ts'
import { readAddress, readWindowKey } from './report/read-arguments.ts'
import { renderReport } from './report/render-report.ts'
import { explainFailure } from './verify/explain-failure.ts'
import { chooseRpcUrl, RPC_HELP } from './verify/rpc-url.ts'

const UNPAID = 1

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
