import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { type ExampleRequest, toRequests } from '@tollbook/testing/catalogue/example-requests'
import fc from 'fast-check'
import type { PaidService } from '../open-service-of.ts'
import { leadTo } from '../paying/example-world.ts'
import { drawInputs, type Input, KINDS, type Kind } from './draw-inputs.ts'

/** The endpoint that receives the inputs. */
export type Target = {
  readonly service: PaidService
  readonly endpoint: Endpoint
  /** All endpoints of its service. */
  readonly siblings: readonly Endpoint[]
}

export type Case = {
  readonly at: number
  readonly kind: Kind
  readonly input: Input
  readonly request: ExampleRequest
}

export type DrawOptions = {
  /** Cases per endpoint; a third of each kind. */
  readonly cases: number
  readonly seed: number
  /** Origin of the pages in the examples. */
  readonly site: string
}

/** Cases drawn per kind at a time, so that the first call need not wait until the last one is drawn. */
const ROUND = 30
/** These take seconds of processor time per answer, so only one in twenty of their valid inputs is sent. */
const COSTLY = new Set(['audio.transcriptions', 'audio.speech', 'vectorize'])
const COSTLY_EVERY = 20

export function isCostly({ id }: Endpoint): boolean {
  return COSTLY.has(id)
}

/** Draws requests one after the other; skips and replaces those that no client can send. */
export function* drawCases({ endpoint, siblings }: Target, options: DrawOptions): Generator<Case> {
  const { cases, seed, site } = options
  const arbitraries = drawInputs(endpoint, leadTo(endpoint.example.input as Input, { origin: site }))
  let drawn = 0
  for (let round = 0; round <= cases; round += 1) {
    const inputs = KINDS.map((kind, nth) =>
      fc.sample(arbitraries[kind], {
        numRuns: ROUND,
        seed: (seed * (cases + 1) + round) * KINDS.length + nth,
      }),
    )
    for (let at = 0; at < ROUND; at += 1) {
      for (const [nth, kind] of KINDS.entries()) {
        if (kind === 'valid' && isCostly(endpoint) && at % COSTLY_EVERY !== 0) continue
        const input = inputs[nth]?.[at] ?? {}
        const request = toRequest(endpoint, siblings, input)
        if (!request) continue
        yield { at: drawn, kind, input, request }
        drawn += 1
        if (drawn === cases) return
      }
    }
  }
}

/** Null if no client can send it: half a surrogate pair in a path or a query. */
function toRequest(endpoint: Endpoint, siblings: readonly Endpoint[], input: Input): ExampleRequest | null {
  try {
    const hasFile = Object.values(input).some((value) => value instanceof Blob)
    const requests = toRequests(endpoint, siblings, input).filter(
      ({ method }) => !hasFile || method !== 'GET',
    )
    const request = requests[Object.keys(input).length % Math.max(1, requests.length)]
    if (request) new Request(`http://127.0.0.1${request.path}`, request.init)
    return request ?? null
  } catch {
    return null
  }
}
