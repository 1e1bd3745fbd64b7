import { readClaimsAndListings } from '@tollbook/report/claims/claims-and-listings'
import { describeBasis } from '@tollbook/report/editions/basis'
import { composeEdition } from '@tollbook/report/editions/compose-edition'
import { type Published, storeRolling } from '@tollbook/report/editions/store-rolling'
import { FIRST_REVISION, storeWeek } from '@tollbook/report/editions/store-week'
import type { Listing } from '@tollbook/report/listings/listing'
import { replaceListings } from '@tollbook/report/listings/stored-listings'
import type { State } from '@tollbook/report/state/state'
import { ROLLING } from '@tollbook/verify/published/edition-name'
import { NO_SCREEN_INPUTS } from '@tollbook/verify/screen/screen'
import { SCREENS } from '@tollbook/verify/screen/screens'
import { BUSY, type SampleFigures, sampleFigures } from './sample-figures.ts'

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

/** Of a week whose payments are unused. */
const NO_EVIDENCE = { file: 'none', sha256: '0'.repeat(64), bytes: 0, places: new Map() }

/** The stated method of the sample's figures: this method, and exactly one facilitator. */
export const SAMPLE_BASIS = describeBasis({
  genesis: `0x${'0'.repeat(63)}1`,
  method: { screens: SCREENS, inputs: NO_SCREEN_INPUTS, listedPayees: new Set([BUSY.address]) },
  facilitators: { list: 'sample', addresses: new Set(['0x00000000000000000000000000000000000000fa']) },
  labels: null,
})

/** Stores the sample's listings and publishes figures: as the rolling window, or as the first revision of a week. */
export async function publishSample(
  state: State,
  figures: SampleFigures = sampleFigures(),
  now = PUBLISHED_AT,
  baseUrl = BASE_URL,
): Promise<Published> {
  await replaceListings(state, OWN_SOURCE, { listings: LISTINGS, readAt: now })
  return storeSample(state, figures, now, baseUrl)
}

/** The same with the listings that are stored. */
export async function storeSample(
  state: State,
  figures: SampleFigures,
  now = PUBLISHED_AT,
  baseUrl = BASE_URL,
): Promise<Published> {
  const claimsAndListings = await readClaimsAndListings(state, {
    disclosedWallets: new Map(),
    operatorWallets: new Map(),
    ownSources: [OWN_SOURCE],
  })
  const all = { ...figures, claimsAndListings }
  const composing = { basis: SAMPLE_BASIS, baseUrl, now }
  if (figures.edition === ROLLING)
    return storeRolling(state, await composeEdition(all, composing), claimsAndListings)
  const week = { ...composing, revision: FIRST_REVISION, evidence: NO_EVIDENCE }
  const isNew = await storeWeek(state, await composeEdition(all, week), baseUrl)
  const merchants = figures.merchants.length
  return { merchants, written: isNew ? merchants : 0, frozen: 0 }
}
