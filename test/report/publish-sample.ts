import type { ReportRun } from '../../src/report/build/figures.ts'
import { describeBasis } from '../../src/report/editions/basis.ts'
import { ROLLING } from '../../src/report/editions/edition-name.ts'
import { type Published, publishRun } from '../../src/report/editions/publish-run.ts'
import { publishWeek, type WeekPublication } from '../../src/report/editions/publish-week.ts'
import type { Listing } from '../../src/report/listings/listing.ts'
import { replaceListings } from '../../src/report/listings/stored-listings.ts'
import { readMerchantSides } from '../../src/report/run/prepare-publication.ts'
import { NO_SCREEN_INPUTS } from '../../src/report/screen/screen.ts'
import { SCREENS } from '../../src/report/screen/screens.ts'
import type { State } from '../../src/state/state.ts'
import { BUSY, sampleRun } from './sample-run.ts'

export const BASE_URL = 'https://tollbook.example'
/** The operator's own service, whose listings the sample has. */
const OWN_SOURCE = 'https://source.example'
export const PUBLISHED_AT = new Date('2026-11-15T12:00:05Z')

/** Text that a hostile merchant might write into its listing. */
export const HOSTILE_TEXT =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is hostile on purpose
  '</td><script>alert(1)</script><img src=x onerror=alert(2)> "quoted" \'single\' &lt; ${7*7} {{7*7}}'

const offer = (path: string, change: Partial<Listing> = {}): Listing => ({
  resource: `https://api.weather.example${path}`,
  host: 'api.weather.example',
  payTo: BUSY.address,
  price: 10_000n,
  schemes: ['exact'],
  description: 'Weather of a place for the next seven days, hour by hour.',
  operation: 'GET',
  lastSeen: PUBLISHED_AT,
  ...change,
})

export const LISTINGS: readonly Listing[] = [
  offer('/v1/forecast', { price: 500_000n }),
  offer('/v1/now?x=%3Cscript%3E'),
  offer('/v1/hostile', { price: 20_000n, description: HOSTILE_TEXT }),
]

/** The stated method of the sample's runs: this method, and exactly one facilitator. */
export const SAMPLE_BASIS = describeBasis({
  genesis: `0x${'0'.repeat(63)}1`,
  method: { screens: SCREENS, inputs: NO_SCREEN_INPUTS, listedPayees: new Set([BUSY.address]) },
  facilitators: { list: 'sample', addresses: new Set(['0x00000000000000000000000000000000000000fa']) },
  labels: null,
})

/** Stores the sample's listings and publishes a run: as the rolling window, or as the first revision of a week. */
export async function publishSample(
  state: State,
  run: ReportRun = sampleRun(),
  now = PUBLISHED_AT,
  baseUrl = BASE_URL,
): Promise<Published> {
  await replaceListings(state, OWN_SOURCE, { listings: LISTINGS, readAt: now })
  const publication = await toPublication(state, { run, now, baseUrl })
  if (run.edition === ROLLING) return publishRun(publication)
  const merchants = run.figures.length
  const isNew = await publishWeek(publication)
  return { merchants, written: isNew ? merchants : 0, frozen: 0 }
}

/** A publication of a run whose payments are unused. */
export async function toPublication(
  state: State,
  { run, now, baseUrl }: { readonly run: ReportRun; readonly now: Date; readonly baseUrl: string },
): Promise<WeekPublication> {
  const sides = await readMerchantSides(state, {
    disclosedWallets: new Map(),
    operatorWallets: new Map(),
    ownSources: [OWN_SOURCE],
  })
  return {
    state,
    run,
    now,
    baseUrl,
    sides,
    basis: SAMPLE_BASIS,
    packEvidence: async () => ({ file: 'none', sha256: '0'.repeat(64), bytes: 0, places: new Map() }),
  }
}
