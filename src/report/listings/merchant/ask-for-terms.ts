import type { Listing } from '../listing.ts'
import { readChallenge } from './challenge.ts'
import type { HostReader } from './host-reader.ts'
import type { Candidate } from './stated.ts'

/** A 402 answer of version 1 carries schemas of input and output for each network. */
const CHALLENGE_BYTES = 512_000

/** What asking one resource gave: its listings, or null when it could not be asked. */
export type Terms = readonly Listing[] | null

/**
 * Asks a resource without paying and reads the terms from its 402 answer. Nothing but GET and POST is sent, POST with
 * an empty object where the method is unknown and GET gives no terms: who sells by x402 answers 402 before anything
 * happens.
 * @param asked all that is known of one resource, one for each method.
 * @throws RestingHost; what the fetch throws.
 */
export async function askForTerms(
  host: HostReader,
  asked: readonly Candidate[],
  readAt: Date,
): Promise<Terms> {
  const found: Listing[] = []
  let wasAsked = false
  for (const candidate of asked) {
    for (const method of methodsOf(candidate)) {
      const answer = await host.ask(candidate.resource, {
        method,
        accept: 'application/json',
        maxBytes: CHALLENGE_BYTES,
        // Whoever answers by a redirect does not sell under this URL.
        maxRedirects: 0,
        ...(method === 'POST' && { body: '{}', headers: { 'content-type': 'application/json' } }),
      })
      if (!answer || answer.status >= 500) continue
      wasAsked = true
      const terms = readChallenge(answer, candidate, readAt)
      found.push(...terms)
      if (terms.length > 0) break
    }
  }
  return wasAsked ? found : null
}

function methodsOf({ operation }: Candidate): readonly ('GET' | 'POST')[] {
  if (operation === 'GET' || operation === 'POST') return [operation]
  // The name of an MCP listing's tool is no method either.
  return /^(HEAD|PUT|PATCH|DELETE)$/.test(operation) ? [] : ['GET', 'POST']
}
