import { readChallenge } from './challenge.ts'
import type { HostReader } from './host-reader.ts'
import type { UnpaidAnswer } from './judge-health.ts'
import type { Candidate } from './stated.ts'

/** A 402 response of version 1 contains schemas of input and output for each network. */
const CHALLENGE_BYTES = 512_000

/**
 * Requests a resource unpaid and reads its 402, by GET, HEAD or an empty POST: a seller answers before it
 * acts.
 * @param candidates everything known about one resource, one candidate per method.
 * @returns every answer; none if robots.txt disallows it. @throws RestingHost; what the fetch throws.
 */
export async function fetchRequirements(
  host: HostReader,
  candidates: readonly Candidate[],
  readAt: Date,
): Promise<readonly UnpaidAnswer[]> {
  const found: UnpaidAnswer[] = []
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
      if (!answer) continue
      const listings = readChallenge(answer, candidate, readAt)
      found.push({ answer, listings })
      if (listings.length > 0) break
    }
  }
  return found
}

function methodsOf({ operation }: Candidate): readonly ('GET' | 'HEAD' | 'POST')[] {
  if (operation === 'GET' || operation === 'HEAD' || operation === 'POST') return [operation]
  // The tool name of an MCP listing is not a method either.
  return /^(PUT|PATCH|DELETE)$/.test(operation) ? [] : ['GET', 'POST']
}
