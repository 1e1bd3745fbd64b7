import { normaliseItem } from '@tollbook/endpoints/discovery/normalise-item'
import { parseJson } from '@tollbook/flow/parse-json'
import type { FetchedAnswer } from '@tollbook/safe-fetch/fetched-answer'
import type { Listing } from '../listing.ts'
import type { Candidate } from './stated.ts'

/** A longer header would not pass through any proxy. */
const MAX_HEADER_LENGTH = 64_000

export type ChallengeAnswer = Pick<FetchedAnswer, 'status' | 'headers' | 'body'>

/**
 * Reads the PaymentRequirements of a 402 for the requested resource: the header of x402 version 2
 * (specs/transports-v2/http.md), else the JSON body of version 1, which some servers send in version 2, too.
 */
export function readChallenge(
  answer: ChallengeAnswer,
  candidate: Candidate,
  readAt: Date,
): readonly Listing[] {
  if (answer.status !== 402) return []
  for (const document of readTerms(answer)) {
    const own = normaliseItem(
      { ...document, resource: describe(document, candidate.resource), lastUpdated: undefined },
      readAt,
    )
    if (own.length > 0) {
      return own.map((listing) => ({
        ...listing,
        description: listing.description || candidate.description,
        operation: listing.operation || candidate.operation,
      }))
    }
  }
  return []
}

/** The documents of a 402 response that may contain terms: that of the header, and that of the body. */
export function readTerms({ headers, body }: ChallengeAnswer): readonly object[] {
  return [readHeader(headers['payment-required'] ?? ''), parseJson(body)].filter(
    (document): document is object => typeof document === 'object' && document !== null,
  )
}

function readHeader(header: string): unknown {
  return header.length > MAX_HEADER_LENGTH ? null : parseJson(Buffer.from(header, 'base64'))
}

/** The resource object of version 2 with the requested URL; only its description is used. */
function describe(document: object, url: string): unknown {
  const resource: unknown = 'resource' in document ? document.resource : null
  const isObject = typeof resource === 'object' && resource !== null
  return { description: isObject && 'description' in resource ? resource.description : '', url }
}
