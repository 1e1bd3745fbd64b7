import { hash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Network } from '@tollbook/chain/network'
import { normaliseItem } from '@tollbook/endpoints/discovery/normalise-item'
import { AnswerTooLarge, InvalidAnswer, Unreachable } from '@tollbook/flow/failure'
import { parseJson } from '@tollbook/flow/parse-json'
import { readRetryAfterMs } from '@tollbook/flow/retry-after'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import * as z from 'zod'
import type { Listing } from './listing.ts'

/** Items per page; the CDP facilitator returns at most 1,000 (its Bazaar documentation). */
const PAGE_ITEMS = 500
/** About 16 kB per item, ten times what the largest public catalogues use. */
const PAGE_BYTES = 8_000_000
const PAGE_TIMEOUT_MS = 15_000
/** 100,000 items: all of the largest public catalogue, and a limit for one that never repeats itself. */
const MAX_PAGES = 200
/** Limits what one source may store in the state, to about 30 MB. */
const MAX_LISTINGS = 100_000
/** How often a rate-limited request is retried, and the maximum wait. */
const MAX_RETRIES = 3
const MAX_RETRY_WAIT_MS = 30_000

const count = z.number().int().nonnegative().optional().catch(undefined)
const pageShape = z.object({
  items: z.array(z.unknown()),
  pagination: z.object({ total: count, limit: count }).optional().catch(undefined),
})

export type DiscoveryRead = {
  /** Base URL whose `/discovery/resources` is read. */
  readonly source: string
  readonly fetch: SafeFetch
  readonly readAt: Date
  /** Default Base. */
  readonly network?: Network
  readonly signal: AbortSignal
}

/**
 * Reads every page of a discovery route: what can be paid in USDC on the network, each listing once, at most
 * 100,000. A total ends the reading only if a page that is not full meets it exactly: totals are wrong
 * during changes.
 * @throws what the fetch throws; InvalidAnswer for another response; Unreachable for status 429 and 5xx.
 */
export async function readDiscovery(read: DiscoveryRead): Promise<readonly Listing[]> {
  const listings = new Map<string, Listing>()
  const seen = new Set<string>()
  const reader = { ...read, limit: PAGE_ITEMS }
  let [offset, maxPageItems] = [0, 0]
  for (let page = 0; page < MAX_PAGES && listings.size < MAX_LISTINGS; page += 1) {
    const { items, pagination } = await readPage(reader, offset)
    const fresh = items.filter((item) => isFirst(item, seen))
    for (const listing of fresh.flatMap((item) => normaliseItem(item, read.readAt, read.network)))
      storeNewest(listings, listing)
    offset += items.length
    const isFull =
      items.length >= Math.min(reader.limit, pagination?.limit || reader.limit, maxPageItems || reader.limit)
    if (fresh.length === 0 || (offset === pagination?.total && !isFull)) break
    maxPageItems = Math.max(maxPageItems, items.length)
  }
  return [...listings.values()]
}

/** Whether this exact item was not read before; pages overlap while entries are added. */
function isFirst(item: unknown, seen: Set<string>): boolean {
  const digest = hash('sha1', JSON.stringify(item) ?? '')
  if (seen.has(digest)) return false
  seen.add(digest)
  return true
}

function storeNewest(listings: Map<string, Listing>, listing: Listing): void {
  const key = JSON.stringify([listing.payTo, listing.resource, listing.operation])
  const known = listings.get(key)
  if (!known || known.lastSeen < listing.lastSeen) listings.set(key, listing)
}

type Page = z.output<typeof pageShape>
/** The limit shrinks when a page of that many items is too large. */
type Reader = DiscoveryRead & { limit: number }

async function readPage(reader: Reader, offset: number): Promise<Page> {
  for (let retries = 0; ; retries += 1) {
    try {
      const answer = await requestPage(reader, offset)
      if (answer.status === 200) return parsePage(answer.body)
      const isTransient = answer.status === 429 || answer.status >= 500
      if (!isTransient) throw new InvalidAnswer(`the source answered ${answer.status}`)
      const waitMs = answer.status === 429 ? readRetryAfterMs(answer.headers) : null
      if (retries >= MAX_RETRIES || waitMs === null || waitMs > MAX_RETRY_WAIT_MS)
        throw new Unreachable(`the source answered ${answer.status}`)
      await wait(waitMs, undefined, { signal: reader.signal })
    } catch (error) {
      if (!(error instanceof AnswerTooLarge) || reader.limit === 1) throw error
      reader.limit = Math.max(1, Math.floor(reader.limit / 8))
    }
  }
}

function requestPage({ source, fetch, limit, signal }: Reader, offset: number) {
  // Operators may copy the catalogue's address including the route.
  const base = source.replace(/(\/discovery\/resources)?\/*$/, '')
  return fetch(`${base}/discovery/resources?limit=${limit}&offset=${offset}`, {
    accept: 'application/json',
    maxBytes: PAGE_BYTES,
    timeoutMs: PAGE_TIMEOUT_MS,
    signal,
  })
}

function parsePage(body: Uint8Array): Page {
  const parsed = pageShape.safeParse(parseJson(body))
  if (!parsed.success) throw new InvalidAnswer('the source did not return a discovery response')
  return parsed.data
}
