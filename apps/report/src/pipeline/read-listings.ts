import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { ROLLING } from '@tollbook/verify/published/edition-name'
import type { Logger } from 'pino'
import { CATALOGUES, collectListings } from '../listings/collect.ts'
import { visitMerchants } from '../listings/merchant/visit-merchants.ts'
import { deleteUnseen } from '../listings/stored-listings.ts'
import type { State } from '../state/state.ts'

export type ExternalSources = {
  readonly catalogues: readonly string[]
  readonly fetch: SafeFetch
  /** Whether merchants are visited for their own documents and 402 responses. */
  readonly visitsMerchants: boolean
  /** Whether the health of listed endpoints is checked on these visits. */
  readonly checksHealth: boolean
}

export type ListingReading = {
  readonly state: State
  /** Base URLs of the operator's own services, whose listings are read. */
  readonly listingSources: readonly string[]
  /** Can reach the own services, which are often on this machine. */
  readonly fetch: SafeFetch
  /** Other sources of listings; absent: no external source is queried. */
  readonly outside?: ExternalSources
  readonly logger: Logger
  readonly now: () => Date
}

/** A listing that no source showed for two weeks is no longer offered. */
const UNSEEN_MS = 14 * 86_400_000

/** Reads every source of listings; deletes those that no source shows any more. */
export async function collectAllListings(options: ListingReading, signal: AbortSignal): Promise<void> {
  const { state, fetch, outside, logger, now } = options
  await collectListings({ state, sources: options.listingSources, fetch, logger, now, signal })
  if (outside) {
    const reading = { state, sources: outside.catalogues, policy: CATALOGUES, fetch: outside.fetch }
    await collectListings({ ...reading, logger, now, signal })
  }
  const left = await deleteUnseen(state, new Date(now().getTime() - UNSEEN_MS))
  if (left > 0) logger.info({ listings: left }, 'deleted listings that no source shows any more')
}

/** Visits paid merchants for their own documents and 402 responses, each when it is due. */
export async function visitPaidMerchants(options: ListingReading, signal: AbortSignal): Promise<void> {
  const { state, outside, listingSources: ownSources, logger, now } = options
  if (!outside?.visitsMerchants) return
  const { fetch, checksHealth } = outside
  await visitMerchants({ state, edition: ROLLING, ownSources, fetch, checksHealth, logger, now, signal })
}
