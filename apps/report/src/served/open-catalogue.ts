import type { State } from '../state/state.ts'
import { buildCatalogue, type Catalogue, type ReadListings } from './catalogue.ts'
import { readVersion } from './published-version.ts'

/** Returns the catalogue, which is built again in the background when listings or figures have changed. */
export type OpenCatalogue = () => Promise<Catalogue>

/**
 * @param freshMs how long it is used without a look at the store; 0: never.
 * @param source default: what the indexer collected.
 */
export function openCatalogue(
  state: State,
  freshMs: number,
  source?: { readonly read: ReadListings; readonly version: () => Promise<string> },
): OpenCatalogue {
  let known:
    | { readonly catalogue: Catalogue; readonly version: string; readonly readAtMs: number }
    | undefined
  let reading: Promise<Catalogue> | undefined

  async function read(): Promise<Catalogue> {
    const readAtMs = performance.now()
    try {
      const version = `${await readVersion(state)} ${await (source ? source.version() : readListingVersion(state))}`
      const catalogue =
        known?.version === version ? known.catalogue : await buildCatalogue(state, source?.read)
      known = { catalogue, version, readAtMs }
      return catalogue
    } finally {
      reading = undefined
    }
  }

  return async () => {
    if (known && performance.now() - known.readAtMs < freshMs) return known.catalogue
    reading ??= read()
    if (!known || freshMs === 0) return reading
    // The next request tries again.
    reading.catch(() => {})
    return known.catalogue
  }
}

async function readListingVersion({ db }: State): Promise<string> {
  const row = await db
    .selectFrom('report_listing_sources')
    .select(({ fn }) => [fn.max('collected_at').as('at'), fn.countAll().as('sources')])
    .executeTakeFirstOrThrow()
  return `${row.at} ${row.sources}`
}
