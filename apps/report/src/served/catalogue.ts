import { setImmediate } from 'node:timers/promises'
import type { Address } from '@tollbook/chain/hex'
import type { Settled, SettledOffer } from '@tollbook/endpoints/discovery/settled-listing'
import { indexTermsOf, queryTermsOf, stemOf } from '@tollbook/flow/text/index-terms'
import { weighByCount } from '@tollbook/flow/text/term-weights'
import { toName } from '@tollbook/verify/listings/merchant-listings'
import { ROLLING } from '@tollbook/verify/published/edition-name'
import type { SourcedListing } from '../listings/listing.ts'
import { listingsByPayTo } from '../listings/stored-listings.ts'
import { readVouchedNames } from '../listings/vouched-names.ts'
import type { State } from '../state/state.ts'
import { LINE_COLUMNS, toMerchantLine } from './merchant-line.ts'
import type { RankedMerchant } from './ranking.ts'

/** A listing, in the catalogue of a facilitator with what that settled. */
export type CatalogueListing = SourcedListing & {
  readonly settled?: Settled
  readonly offer?: SettledOffer
}

/** A listing with what its payee received in the newest window. */
export type CatalogueEntry = {
  readonly listing: CatalogueListing
  /** Null if no payment to the payee was found. */
  readonly merchant: RankedMerchant | null
  /** Whether the payee confirms the host, or two sources agree. Otherwise its revenue does not rank the listing. */
  readonly isHostConfirmed: boolean
}

/** All listings, those of the highest real revenue first; of equal ones, those with the most settled dollars. */
export type Catalogue = {
  readonly entries: readonly CatalogueEntry[]
  /** The entries that contain words of a query, the best first. */
  search(query: string): readonly CatalogueEntry[]
}

export type ReadListings = () => Promise<ReadonlyMap<Address, readonly CatalogueListing[]>>

/** Entries indexed before the event loop may do other work: about 10 ms. */
const ENTRIES_A_TURN = 500
/** A word of the description counts less than one of the URL: sellers fill descriptions with words. */
const DESCRIPTION_WEIGHT = 0.6
/** Matches that contain about the same share of a query are ordered by revenue. */
const STEPS = 4
/** Listings of one payee in a row of equal matches, before those of others. */
const LISTINGS_A_TURN = 3

/** Reads all paid listings, and indexes their words. @param readListings default: those that the indexer collected. */
export async function buildCatalogue(
  state: State,
  readListings: ReadListings = () => listingsByPayTo(state),
): Promise<Catalogue> {
  const listings = await readListings()
  const vouched = await readVouchedNames(state, [])
  const { merchants, groupOf } = await readMerchants(state)
  const all = [...listings].flatMap(([payTo, own]) => {
    const group = merchants.get(groupOf.get(payTo) ?? '')
    return own
      .filter(({ price }) => price > 0n)
      .map((listing) => {
        const name = toName(listing.host)
        // The wallets of a merchant group count as one.
        const merchant = (group?.name === name ? group : merchants.get(payTo)) ?? null
        const isOwnName = merchant?.name_confirmed === true && merchant.name === name
        return { listing, merchant, isHostConfirmed: isOwnName || (vouched.get(payTo)?.has(name) ?? false) }
      })
  })
  const entries = all.sort(compareEntries)
  return { entries, search: await indexWords(entries) }
}

async function readMerchants({ db }: State) {
  const rows = await db
    .selectFrom('reports')
    .select(LINE_COLUMNS)
    .select(['address', 'rank', 'operator'])
    .where('edition', '=', ROLLING)
    .where('is_frozen', '=', 0)
    .execute()
  return {
    merchants: new Map<string, RankedMerchant>(
      rows.map((row) => [row.address, { rank: row.rank, address: row.address, ...toMerchantLine(row) }]),
    ),
    groupOf: new Map(rows.map((row) => [row.address, row.operator])),
  }
}

/** Real revenue, effective buyers, settled dollars, all descending; then the lower price. */
function compareEntries(a: CatalogueEntry, b: CatalogueEntry): number {
  const [one, other] = [creditOf(a), creditOf(b)]
  return (
    other.usd - one.usd ||
    other.buyers - one.buyers ||
    compareSettled(a.listing, b.listing) ||
    Number(a.listing.price - b.listing.price) ||
    (a.listing.resource < b.listing.resource ? -1 : 1)
  )
}

function creditOf({ merchant, isHostConfirmed }: CatalogueEntry) {
  if (!merchant || !isHostConfirmed) return { usd: 0, buyers: 0 }
  return { usd: merchant.real_usd, buyers: merchant.effective_buyers ?? 0 }
}

function compareSettled({ settled: a }: CatalogueListing, { settled: b }: CatalogueListing): number {
  const ofOthers = Number((b?.ofOthers ?? 0n) - (a?.ofOthers ?? 0n))
  return ofOthers || Number((b?.ofAll ?? 0n) - (a?.ofAll ?? 0n))
}

type Postings = Map<string, number[]>

async function indexWords(entries: readonly CatalogueEntry[]): Promise<Catalogue['search']> {
  const places: Postings = new Map()
  const descriptions: Postings = new Map()
  for (const [at, { listing, merchant }] of entries.entries()) {
    if (at % ENTRIES_A_TURN === ENTRIES_A_TURN - 1) await setImmediate()
    const { resource, operation, description } = listing
    const name = merchant?.name_confirmed ? merchant.name : ''
    const words = new Set(termsOf(`${decode(resource)} ${operation} ${name}`))
    for (const word of words) add(places, word, at)
    for (const word of new Set(termsOf(description))) if (!words.has(word)) add(descriptions, word, at)
  }
  const countOf = (term: string) => (places.get(term)?.length ?? 0) + (descriptions.get(term)?.length ?? 0)
  return (query) => {
    // A word that no entry has tells nothing about the others.
    const terms = [...new Set(queryTermsOf(query).map(stemOf))].filter((term) => countOf(term) > 0)
    const matches = new Map<number, number>()
    for (const [term, weight] of weighByCount(terms, entries.length, countOf)) {
      for (const at of places.get(term) ?? []) matches.set(at, (matches.get(at) ?? 0) + weight)
      for (const at of descriptions.get(term) ?? [])
        matches.set(at, (matches.get(at) ?? 0) + weight * DESCRIPTION_WEIGHT)
    }
    return order(entries, matches)
  }
}

/** By the share of the query, in steps; then in turns of few listings of each payee, by revenue. */
function order(
  entries: readonly CatalogueEntry[],
  matches: ReadonlyMap<number, number>,
): readonly CatalogueEntry[] {
  const seen = new Map<string, number>()
  const found = [...matches.keys()]
    .sort((a, b) => a - b)
    .flatMap((at) => {
      const entry = entries[at]
      const step = Math.round((matches.get(at) ?? 0) * STEPS)
      if (!entry || step === 0) return []
      const key = `${step} ${entry.listing.payTo}`
      const earlier = seen.get(key) ?? 0
      seen.set(key, earlier + 1)
      return { entry, step, turn: Math.floor(earlier / LISTINGS_A_TURN) }
    })
  return found.sort((a, b) => b.step - a.step || a.turn - b.turn).map(({ entry }) => entry)
}

function add(postings: Postings, word: string, at: number): void {
  const list = postings.get(word)
  if (list) list.push(at)
  else postings.set(word, [at])
}

function termsOf(text: string): readonly string[] {
  return indexTermsOf(text).map(stemOf)
}

function decode(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}
