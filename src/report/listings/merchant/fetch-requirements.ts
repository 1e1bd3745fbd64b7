import type { Listing } from '../listing.ts'
import { readChallenge } from './challenge.ts'
import type { HostReader } from './host-reader.ts'
import type { Candidate } from './stated.ts'

/** A 402 response of version 1 contains schemas of input and output for each network. */
const CHALLENGE_BYTES = 512_000

/** The listings of one resource, or null when it could not be queried. */
export type FoundListings = readonly Listing[] | null

/**
 * Requests a resource without paying and reads the PaymentRequirements from its 402 response. Sends only GET
 * and POST; POST with an empty object when the method is unknown and GET returns no requirements. An x402
 * seller answers 402 before it does anything.
 * @param candidates everything known about one resource, one candidate per method.
 * @throws RestingHost; what the fetch throws.
 */
export async function fetchRequirements(
  host: HostReader,
  candidates: readonly Candidate[],
  readAt: Date,
): Promise<FoundListings> {
  const found: Listing[] = []
  let hasAnswered = false
  for (const candidate of candidates) {
    for (const method of methodsOf(candidate)) {
      const answer = await host.request(candidate.resource, {
        method,
        accept: 'application/json',
        maxBytes: CHALLENGE_BYTES,
        // A URL that redirects does not sell.
        maxRedirects: 0,
        ...(method === 'POST' && { body: '{}', headers: { 'content-type': 'application/json' } }),
      })
      if (!answer || answer.status >= 500) continue
      hasAnswered = true
      const listings = readChallenge(answer, candidate, readAt)
      found.push(...listings)
      if (listings.length > 0) break
    }
  }
  return hasAnswered ? found : null
}

function methodsOf({ operation }: Candidate): readonly ('GET' | 'POST')[] {
  if (operation === 'GET' || operation === 'POST') return [operation]
  // The tool name of an MCP listing is not a method either.
  return /^(HEAD|PUT|PATCH|DELETE)$/.test(operation) ? [] : ['GET', 'POST']
}
