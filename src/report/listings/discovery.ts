import * as z from 'zod'
import { InvalidAnswer, Unreachable } from '../../fetching/failure.ts'
import type { SafeFetch } from '../../fetching/safe-fetch.ts'
import type { Listing } from './listing.ts'
import { normaliseItem } from './normalise-item.ts'

/** Items a page; the CDP facilitator gives at most 1,000 (its Bazaar documentation). */
const PAGE_ITEMS = 500
/** About 16 kB an item, ten times what the largest public catalogues use. */
const PAGE_BYTES = 8_000_000
const PAGE_TIMEOUT_MS = 15_000
/** 100,000 items: the whole of the largest public catalogue, and an end for one that repeats itself. */
const MOST_PAGES = 200

const pageShape = z.object({
  items: z.array(z.unknown()),
  pagination: z
    .object({ total: z.number().int().nonnegative().optional().catch(undefined) })
    .optional()
    .catch(undefined),
})

export type DiscoveryRead = {
  /** Base URL whose `/discovery/resources` is read. */
  readonly source: string
  readonly fetch: SafeFetch
  readonly readAt: Date
  readonly signal: AbortSignal
}

/**
 * Reads every page of a discovery route and keeps what can be paid in USDC on Base, each once.
 * @throws what the fetch throws; InvalidAnswer when a page is no discovery answer; Unreachable for status 429 and 5xx.
 */
export async function readDiscovery(read: DiscoveryRead): Promise<readonly Listing[]> {
  const listings = new Map<string, Listing>()
  let offset = 0
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { items, pagination } = await readPage(read, offset)
    const before = listings.size
    for (const listing of items.flatMap((item) => normaliseItem(item, read.readAt))) {
      const key = JSON.stringify([listing.payTo, listing.resource, listing.operation])
      const known = listings.get(key)
      if (!known || known.lastSeen < listing.lastSeen) listings.set(key, listing)
    }
    offset += items.length
    const isRepeating = pagination?.total === undefined && listings.size === before
    if (items.length === 0 || isRepeating || offset >= (pagination?.total ?? Number.POSITIVE_INFINITY)) break
  }
  return [...listings.values()]
}

async function readPage(read: DiscoveryRead, offset: number): Promise<z.output<typeof pageShape>> {
  const url = `${read.source.replace(/\/+$/, '')}/discovery/resources?limit=${PAGE_ITEMS}&offset=${offset}`
  const answer = await read.fetch(url, {
    accept: 'application/json',
    maxBytes: PAGE_BYTES,
    timeoutMs: PAGE_TIMEOUT_MS,
    signal: read.signal,
  })
  if (answer.status === 429 || answer.status >= 500)
    throw new Unreachable(`the source answered ${answer.status}`)
  if (answer.status !== 200) throw new InvalidAnswer(`the source answered ${answer.status}`)
  const parsed = pageShape.safeParse(parseJson(answer.body))
  if (!parsed.success) throw new InvalidAnswer('the source gave no discovery answer')
  return parsed.data
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch (error) {
    throw new InvalidAnswer('the source gave no JSON', { cause: error })
  }
}
