import type { Logger } from 'pino'
import type { SafeFetch } from '../fetching/safe-fetch.ts'
import type { State } from '../state/state.ts'
import { CATALOGUES, collectListings } from './listings/collect.ts'
import { visitMerchants } from './listings/merchant/visit-merchants.ts'
import { forgetUnseen } from './listings/stored-listings.ts'
import { ROLLING } from './publish/editions/publish-run.ts'

/** Sources of listings that others run. */
export type Outside = {
  /** Base URLs of public catalogues of x402 endpoints. */
  readonly catalogues: readonly string[]
  readonly fetch: SafeFetch
  /** Whether merchants are asked for their own documents and 402 answers. */
  readonly visitsMerchants: boolean
}

export type ListingReading = {
  readonly state: State
  /** Base URLs of the operator's own services, whose listings are read. */
  readonly listingSources: readonly string[]
  /** Reaches the own services, which are often on this machine. */
  readonly fetch: SafeFetch
  /** Where else listings come from; absent: nobody outside is asked. */
  readonly outside?: Outside
  readonly logger: Logger
  readonly now: () => Date
}

/** What was not seen for two weeks, whoever was asked, is no offer any more. */
const UNSEEN_MS = 14 * 86_400_000

/** Reads every source of listings; those that nobody shows any more leave. */
export async function collectAllListings(options: ListingReading, signal: AbortSignal): Promise<void> {
  const { state, fetch, outside, logger, now } = options
  await collectListings({ state, sources: options.listingSources, fetch, logger, now, signal })
  if (outside) {
    const reading = { state, sources: outside.catalogues, manner: CATALOGUES, fetch: outside.fetch }
    await collectListings({ ...reading, logger, now, signal })
  }
  const left = await forgetUnseen(state, new Date(now().getTime() - UNSEEN_MS))
  if (left > 0) logger.info({ listings: left }, 'listings that nobody shows any more have left')
}

/** Asks merchants that were paid for their own documents and 402 answers, each when it is due. */
export async function visitPaidMerchants(options: ListingReading, signal: AbortSignal): Promise<void> {
  const { state, outside, listingSources: ownSources, logger, now } = options
  if (!outside?.visitsMerchants) return
  await visitMerchants({ state, edition: ROLLING, ownSources, fetch: outside.fetch, logger, now, signal })
}
