import { setTimeout as wait } from 'node:timers/promises'
import { toChecksumAddress } from '@tollbook/chain/checksum-address'
import { LISTING_ACCOUNT } from '@tollbook/chain/dev-accounts'
import type { Hex } from '@tollbook/chain/hex'
import { createKeySigner } from '@tollbook/chain/key-signer'
import type { Network } from '@tollbook/chain/network'
import { type AtomicUsdc, formatUsd } from '@tollbook/chain/usdc'
import { createProgress } from '@tollbook/flow/progress'
import { toPlainLine } from '@tollbook/flow/text/plain-line'
import { UsageError } from '@tollbook/flow/usage-error'
import {
  type ListingAnswer,
  openListingFacilitator,
  readEndpointOffer,
  settleForListing,
} from '@tollbook/pay/list-endpoint'
import { readOperations } from '@tollbook/pay/mcp/operations'
import type { Chosen } from '@tollbook/pay/offer'
import { DEFAULT_MAX_USD } from '@tollbook/pay/pay'
import { readDiscovery } from '@tollbook/report/listings/discovery'
import { listPaidHosts } from '@tollbook/runtime/chain/ownership'
import { loadConfig } from '@tollbook/runtime/config'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { withInstalled } from './apps.ts'
import { askToPay, requireTerminal } from './call/confirm.ts'
import { readUsd, readWallet } from './call/wallet.ts'
import { type Command, NETWORK_OPTION, toOrigin } from './command.ts'

const MAX_LINE_LENGTH = 300
/** A catalogue may show its listings with a delay. */
const LAG_MS = 12_000

export const list: Command = {
  name: 'list',
  usage: '<facilitator> --budget <usd> [options]',
  examples: [
    'list http://127.0.0.1:4025 --dry-run',
    'list https://facilitator.example --service https://api.example --budget 2.50 --max 0.05 --yes',
  ],
  notes: [
    'Pays the price of each endpoint to its seller, at the facilitator alone: nothing is called, and the payments buy',
    'nothing; reports of this instance show them as self_pay. The wallet of tollbook call pays, on the dev chain account',
    `${LISTING_ACCOUNT}. Shows the sum and asks before it pays. Most catalogues delete what they have not settled for 30 days.`,
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
    yes: { type: 'boolean', short: 'y', help: 'pay without asking' },
    account: {
      type: 'string',
      value: '0-9',
      help: `the account of the dev chain that pays (default ${LISTING_ACCOUNT})`,
    },
    ...NETWORK_OPTION,
  },
  async run({ values, positionals }) {
    const [given = '', ...surplus] = positionals
    if (!/^https?:$/.test(URL.parse(given)?.protocol ?? '') || surplus.length > 0)
      throw new UsageError('list needs the URL of one facilitator')
    const url = given.replace(/\/+$/, '')
    const isDry = values['dry-run'] === true
    const max = readUsd(values.max ?? DEFAULT_MAX_USD, '--max')
    const budget = isDry ? 0n : readUsd(values.budget, '--budget')
    const isAgreed = values.yes === true
    if (!isDry && !isAgreed) requireTerminal('add --yes to pay, or --dry-run to see the prices')
    const config = await withInstalled(loadConfig())
    const isLocal = config.TOLLBOOK_CHAIN_RPC_URL === undefined
    const wallet = readWallet(config, values.account ?? (isLocal ? LISTING_ACCOUNT : undefined))
    const abort = new AbortController()
    const { signal } = abort
    process.once('SIGINT', () => abort.abort(new Error('interrupted')))

    const facilitator = await openListingFacilitator(
      { url, key: config.TOLLBOOK_CATALOGUE_KEY, network: wallet.network },
      signal,
    )
    const origins = Array.isArray(values.service)
      ? values.service.map(toOrigin)
      : (await listPaidHosts(config)).map(({ origin }) => origin)
    const operations = (await Promise.all(origins.map((origin) => readOperations(origin, signal)))).flat()
    const paid = operations.filter(({ priceUsd }) => priceUsd !== null)
    if (paid.length === 0)
      throw new Error(
        `no paid operation in openapi.json of ${origins.join(', ') || 'any host'}: use --service`,
      )

    const { phase } = createProgress()
    const plan: Planned[] = []
    let left = budget
    await phase('reading offers', async ({ at }) => {
      for (const [done, { method, url: template }] of paid.entries()) {
        at(done, paid.length, 'endpoints')
        const endpoint = { method, url: template.replaceAll(/\{(\w+)\}/g, ':$1') }
        const chosen = await readEndpointOffer(endpoint, facilitator, { max, signal })
        const isOffer = chosen !== null && typeof chosen !== 'string'
        const isPaid = isOffer && !isDry && chosen.offer.amount <= left
        if (isPaid) left -= chosen.offer.amount
        const note = isOffer
          ? `$${formatUsd(chosen.offer.amount)}${isDry || isPaid ? '' : `  skipped: --budget has $${formatUsd(left)} left`}`
          : chosen === null
            ? 'not for sale now'
            : `skipped: ${chosen}`
        plan.push({ name: `${method} ${endpoint.url}`, method, chosen, isPaid, note })
      }
    })
    const offered = plan.flatMap(({ method, chosen }) =>
      chosen !== null && typeof chosen !== 'string' ? [toWanted(method, chosen)] : [],
    )
    const forSale = plan.filter(({ chosen }) => chosen !== null).length
    for (const { name, note, isPaid } of plan) if (!isPaid) print(name, note)
    if (!isDry && !(await confirmPlan(plan, { sum: budget - left, wallet, isAgreed }))) {
      process.stderr.write('not paid\n')
      return 1
    }
    await phase('paying', async ({ at }) => {
      const wanted = plan.filter(({ isPaid }) => isPaid)
      for (const [done, { name, note, chosen }] of wanted.entries()) {
        at(done, wanted.length, 'endpoints')
        // Only offers are paid.
        const offer = chosen as Chosen
        const answer = await settleForListing(facilitator, offer, { ...wallet, signal })
        if (answer.isSettled === false) left += offer.offer.amount
        print(name, note, describe(answer))
      }
    })

    if (!isDry) print(`paid at most $${formatUsd(budget - left)}`)
    const mayLag = left < budget
    const missing = await phase('reading the catalogue', () =>
      findMissing(url, offered, { network: wallet.network, mayLag, signal }),
    )
    for (const { name } of missing) print(name, 'not listed')
    const listed = offered.length - missing.length
    print(`${listed} of ${forSale} endpoints are listed at ${url}`)
    return listed === forSale ? 0 : 1
  },
}

type Planned = {
  readonly name: string
  readonly method: string
  /** An offer, why there is none, or null if it is not sold now. */
  readonly chosen: Chosen | string | null
  readonly isPaid: boolean
  readonly note: string
}

type Confirming = {
  readonly sum: AtomicUsdc
  readonly wallet: { readonly key: Hex }
  readonly isAgreed: boolean
}

/** Shows on standard error what is paid, the sum and the wallet, and asks unless that is agreed. */
async function confirmPlan(
  plan: readonly Planned[],
  { sum, wallet, isAgreed }: Confirming,
): Promise<boolean> {
  const paid = plan.filter(({ isPaid }) => isPaid)
  if (paid.length === 0) return true
  const lines = isAgreed ? [] : paid.map(({ name, note }) => toPlainLine(`${name}  ${note}`, MAX_LINE_LENGTH))
  const total = `${paid.length} payments, $${formatUsd(sum)} in all, from wallet ${toChecksumAddress(createKeySigner(wallet.key).address)}`
  process.stderr.write([...lines, total, ''].join('\n'))
  return isAgreed || askToPay()
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
  {
    network,
    mayLag,
    signal,
  }: { readonly network: Network; readonly mayLag: boolean; readonly signal: AbortSignal },
): Promise<readonly Wanted[]> {
  const fetch = createSafeFetch({ allowPrivateNetwork: true })
  const look = async () => {
    const listings = await readDiscovery({ source, fetch, network, readAt: new Date(), signal })
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
