import { setTimeout as wait } from 'node:timers/promises'
import {
  type ListingAnswer,
  openListingFacilitator,
  readEndpointOffer,
  settleForListing,
} from '../buying/list-endpoint.ts'
import { readOperations } from '../buying/mcp/operations.ts'
import type { Chosen } from '../buying/offer.ts'
import { loadConfig } from '../config.ts'
import { createSafeFetch } from '../fetching/safe-fetch.ts'
import { formatUsd } from '../money/usdc.ts'
import { readDiscovery } from '../report/listings/discovery.ts'
import { toPlainLine } from '../report/verify/plain-line.ts'
import { type Command, toOrigin, UsageError } from './command.ts'
import { createProgress } from './progress.ts'
import { listPaidHosts } from './setup/ownership.ts'
import { DEFAULT_MAX_USD, readUsd, readWallet } from './setup/wallet.ts'

const MAX_LINE_LENGTH = 300
/** A catalogue may show its listings with a delay. */
const LAG_MS = 12_000

export const list: Command = {
  name: 'list',
  summary: 'Have a facilitator settle one payment for each endpoint, so that its catalogue lists them.',
  usage: '<facilitator> --budget <usd> [options]',
  examples: [
    'list http://127.0.0.1:4025 --dry-run',
    'list https://facilitator.example --service https://api.example --budget 2.50 --max 0.05',
  ],
  notes: [
    'Pays the price of each endpoint to its seller, at the facilitator alone: nothing is called, and the payments buy',
    'nothing. The same wallet pays as for tollbook call. Most catalogues delete what they have not settled for 30 days.',
  ],
  exitCodes: { 1: 'an endpoint that is for sale is not listed' },
  options: {
    service: {
      type: 'string',
      multiple: true,
      value: 'url',
      help: 'origin of the service; repeatable (default: all paid hosts of the settings)',
    },
    budget: { type: 'string', value: 'usd', help: 'maximum of all payments in dollars; required' },
    max: {
      type: 'string',
      value: 'usd',
      help: `maximum price of an endpoint, in dollars (default ${DEFAULT_MAX_USD})`,
    },
    'dry-run': { type: 'boolean', help: 'pay nothing; show prices and what is already listed' },
    account: { type: 'string', value: '0-9', help: 'the account of the dev chain that pays (default 0)' },
  },
  async run({ values, positionals }) {
    const [given = '', ...surplus] = positionals
    if (!/^https?:$/.test(URL.parse(given)?.protocol ?? '') || surplus.length > 0)
      throw new UsageError('list needs the URL of one facilitator')
    const url = given.replace(/\/+$/, '')
    const isDry = values['dry-run'] === true
    const max = readUsd(values.max ?? DEFAULT_MAX_USD, '--max')
    const budget = isDry ? 0n : readUsd(values.budget, '--budget')
    const config = loadConfig()
    const wallet = readWallet(config, values.account)
    const abort = new AbortController()
    const { signal } = abort
    process.once('SIGINT', () => abort.abort(new Error('interrupted')))

    const facilitator = await openListingFacilitator(url, config.TOLLBOOK_CATALOGUE_KEY, signal)
    const origins = Array.isArray(values.service)
      ? values.service.map(toOrigin)
      : (await listPaidHosts(config)).map(({ origin }) => origin)
    const operations = (await Promise.all(origins.map((origin) => readOperations(origin, signal)))).flat()
    const paid = operations.filter(({ priceUsd }) => priceUsd !== null)
    if (paid.length === 0)
      throw new Error(
        `no paid operation in openapi.json of ${origins.join(', ') || 'any host'}: use --service`,
      )

    const offered: Wanted[] = []
    let left = budget
    let forSale = 0
    const { phase } = createProgress()
    await phase(isDry ? 'reading offers' : 'paying', async ({ at }) => {
      for (const [done, { method, url: template }] of paid.entries()) {
        at(done, paid.length, 'endpoints')
        const endpoint = { method, url: template.replaceAll(/\{(\w+)\}/g, ':$1') }
        const chosen = await readEndpointOffer(endpoint, facilitator, { max, signal })
        if (chosen !== null) forSale += 1
        if (chosen !== null && typeof chosen !== 'string') offered.push(toWanted(method, chosen))
        print(`${method} ${endpoint.url}`, await pay(chosen))
      }
    })

    async function pay(chosen: Chosen | string | null): Promise<string> {
      if (chosen === null) return 'not for sale now'
      if (typeof chosen === 'string') return `skipped: ${chosen}`
      const { amount } = chosen.offer
      const price = `$${formatUsd(amount)}`
      if (isDry) return price
      if (amount > left) return `${price}  skipped: --budget has $${formatUsd(left)} left`
      left -= amount
      const answer = await settleForListing(facilitator, chosen, { ...wallet, signal })
      if (answer.isSettled === false) left += amount
      return `${price}  ${describe(answer)}`
    }

    if (!isDry) print(`paid at most $${formatUsd(budget - left)}`)
    const mayLag = left < budget
    const missing = await phase('reading the catalogue', () => findMissing(url, offered, { mayLag, signal }))
    for (const { name } of missing) print(name, 'not listed')
    const listed = offered.length - missing.length
    print(`${listed} of ${forSale} endpoints are listed at ${url}`)
    return listed === forSale ? 0 : 1
  },
}

type Wanted = { readonly name: string; readonly key: string }

function toWanted(method: string, { required, offer }: Chosen): Wanted {
  const { origin, pathname } = new URL(required.resource?.url ?? '')
  return { name: `${method} ${origin}${pathname}`, key: toKey(method, `${origin}${pathname}`, offer.payTo) }
}

function toKey(...parts: readonly [operation: string, resource: string, payTo: string]): string {
  return parts.join(' ').toLowerCase()
}

/** The endpoints that `/discovery/resources` lacks, after a second look if something was just settled. */
async function findMissing(
  source: string,
  wanted: readonly Wanted[],
  { mayLag, signal }: { readonly mayLag: boolean; readonly signal: AbortSignal },
): Promise<readonly Wanted[]> {
  const fetch = createSafeFetch({ allowPrivateNetwork: true })
  const look = async () => {
    const listings = await readDiscovery({ source, fetch, readAt: new Date(), signal })
    const keys = new Set(listings.map(({ operation, resource, payTo }) => toKey(operation, resource, payTo)))
    return wanted.filter(({ key }) => !keys.has(key))
  }
  const missing = await look()
  if (!mayLag || missing.length === 0) return missing
  await wait(LAG_MS, undefined, { signal })
  return look()
}

function describe({ isSettled, transaction, reason, listing }: ListingAnswer): string {
  if (isSettled === null) return `not known whether it settled: ${reason}`
  if (!isSettled) return `not settled: ${reason}`
  const { status = 'nothing reported about a listing', rejectedReason } = listing ?? {}
  return [`settled in ${transaction}`, rejectedReason ? `${status}: ${rejectedReason}` : status].join('  ')
}

/** Parts of it are another service's. */
function print(...parts: readonly string[]): void {
  process.stdout.write(`${toPlainLine(parts.join('  '), MAX_LINE_LENGTH)}\n`)
}
