import type { Random } from '@tollbook/devchain/demo-week/random'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { answerTypeOf } from '@tollbook/endpoints/json-schema'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { type ExampleRequest, toRequests } from '@tollbook/testing/catalogue/example-requests'
import type { PaidService } from '../open-service-of.ts'
import { leadTo } from '../paying/example-world.ts'

/** One kind of call that clients make. */
export type Errand = {
  readonly service: PaidService
  readonly endpointId: string
  readonly scheme: 'exact' | 'upto'
  /**
   * Built again for each call, since a body can be read only once.
   * @param given replaces values of the example
   */
  readonly request: (given?: Readonly<Record<string, unknown>>) => ExampleRequest
  /** Sends the request, by version 2 of x402 only; default `fetch`, by any protocol. */
  readonly fetch?: typeof fetch
  /** What is wrong with a paid answer; null if it has the form that its endpoint documents. */
  readonly findFault?: (text: string) => string | null
  /** Called with each paid answer. */
  readonly onAnswer?: (text: string) => void
  /** Relative frequency among the calls of its service. */
  readonly weight: number
}

/** Out of a hundred calls. */
const SHARES = { social: 40, utility: 40, inference: 20 } as const satisfies Record<
  'social' | 'utility' | 'inference',
  number
>
const WEIGHTS: Readonly<Record<string, number>> = {
  // These take seconds of processor time; others take milliseconds.
  'audio.transcriptions': 0.05,
  vectorize: 0.2,
  // Wallets write more often than they delete, so that there is something to read.
  'store.append': 2,
  'store.delete': 0.2,
  'store.row.delete': 0.5,
  'scratchpad.delete': 0.5,
}

export const SERVICES = Object.keys(SHARES) as (keyof typeof SHARES)[]

/**
 * All endpoints of the three services.
 * @param root of the checkout that has them; default this one
 */
export async function loadAll(
  root = new URL('../../', import.meta.url),
): Promise<ReadonlyMap<PaidService, readonly Endpoint[]>> {
  const {
    isOfMessages,
    loadMessagesEndpoints,
  }: typeof import('@tollbook/inference/messages/mounted-endpoints') = await import(
    new URL('apps/inference/src/messages/mounted-endpoints.ts', root).href
  )
  const loaded = SERVICES.map(async (service) => {
    const endpoints = await loadEndpoints(new URL(`apps/${service}/src/`, root))
    if (service === 'utility') return [service, [...endpoints, ...(await loadMessagesEndpoints())]] as const
    return [service, endpoints.filter((endpoint) => !isOfMessages(endpoint))] as const
  })
  return new Map(await Promise.all(loaded))
}

/** The purchases: the example of every paid endpoint, metered ones in both schemes. */
export function listErrands(
  catalogue: ReadonlyMap<PaidService, readonly Endpoint[]>,
  site: string,
): readonly Errand[] {
  return [...catalogue].flatMap(([service, endpoints]) =>
    endpoints
      .filter((endpoint) => endpoint.pricing.kind !== 'free' && !needsSession(endpoint))
      .flatMap((endpoint) => {
        const input = leadTo(endpoint.example.input as Readonly<Record<string, unknown>>, { origin: site })
        return schemesOf(endpoint).map((scheme) => {
          const request = (given: Readonly<Record<string, unknown>> = {}) => {
            const [first] = toRequests(endpoint, endpoints, { ...input, ...given })
            if (!first) throw new Error(`${endpoint.id} takes no request`)
            return first
          }
          const findFault = (text: string) => findAnswerFault(endpoint, text)
          const weight = WEIGHTS[endpoint.id] ?? 1
          return { service, endpointId: endpoint.id, scheme, request, findFault, weight }
        })
      }),
  )
}

function findAnswerFault(endpoint: Endpoint, text: string): string | null {
  if (text === '') return 'no answer'
  if (answerTypeOf(endpoint) !== 'application/json') return null
  try {
    const read = endpoint.output.safeParse(JSON.parse(text))
    return read.success ? null : (read.error.issues[0]?.message ?? 'another form')
  } catch {
    return 'not JSON'
  }
}

/** Draws a call: first its service by share, then one of the service's errands by weight. */
export function drawErrand(errands: readonly Errand[], random: Random): Errand {
  const service = drawByWeight(SERVICES, (name) => SHARES[name], random)
  const own = errands.filter((errand) => errand.service === service)
  return drawByWeight(own, ({ weight }) => weight, random)
}

function drawByWeight<T>(choices: readonly T[], weightOf: (choice: T) => number, random: Random): T {
  let left = random() * choices.reduce((sum, choice) => sum + weightOf(choice), 0)
  for (const choice of choices) {
    left -= weightOf(choice)
    if (left < 0) return choice
  }
  throw new Error('there is nothing to choose from')
}

/** The payment schemes of an endpoint, in order of preference. */
export function schemesOf({ pricing }: Endpoint): readonly ('exact' | 'upto')[] {
  if (pricing.kind !== 'metered') return ['exact']
  return pricing.isExactFirst ? ['exact', 'upto'] : ['upto']
}

/** These act for a signed-in user, whom the examples only invent. */
function needsSession({ input }: Endpoint): boolean {
  return 'auth_token' in input.shape
}
