import type { ReportRun } from '../src/report/build/figures.ts'
import type { Listing } from '../src/report/listings/listing.ts'
import { replaceListings } from '../src/report/listings/stored-listings.ts'
import { publishRun } from '../src/report/publish/publish-run.ts'
import type { State } from '../src/state/state.ts'
import { BUSY, sampleRun } from './sample-run.ts'

export const BASE_URL = 'https://tollbook.example'
export const PUBLISHED_AT = new Date('2026-11-15T12:00:05Z')

/** What a hostile merchant might write into its listing. */
export const HOSTILE_TEXT =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is hostile on purpose
  '</td><script>alert(1)</script><img src=x onerror=alert(2)> "quoted" \'single\' &lt; ${7*7} {{7*7}}'

const offer = (path: string, change: Partial<Listing> = {}): Listing => ({
  resource: `https://api.weather.example${path}`,
  host: 'api.weather.example',
  payTo: BUSY.address,
  price: 10_000n,
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

/** Stores the sample's listings and publishes a run. */
export async function publishSample(state: State, run: ReportRun = sampleRun(), now = PUBLISHED_AT) {
  await replaceListings(state, 'https://source.example', { listings: LISTINGS, readAt: now })
  return publishRun({ state, run, baseUrl: BASE_URL, now })
}
