import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import type { Address } from '@tollbook/chain/hex'
import type { ReportApp } from '@tollbook/report/service'
import type { State } from '@tollbook/report/state/state'
import { privateKeyToAccount } from 'viem/accounts'
import { publishSample } from './publish-sample.ts'
import { BUSY, QUIET, sampleFigures } from './sample-figures.ts'
import { sampleService } from './sample-service.ts'

type Options = Parameters<typeof sampleService>[1]

/** A merchant whose key is known, and one that holds another. */
export const merchant = privateKeyToAccount(DEV_CLIENT_KEYS[0])
export const MERCHANT = merchant.address.toLowerCase() as Address
export const rival = privateKeyToAccount(DEV_CLIENT_KEYS[1])
export const RIVAL = rival.address.toLowerCase() as Address
export const CLAIMED_AT = new Date('2026-11-15T12:30:00.000Z')

/** Both merchants' figures, in the sample's window. */
export const merchantFigures = [
  { ...BUSY, address: MERCHANT },
  { ...QUIET, address: RIVAL },
]

/**
 * The report service with a published report of both merchants, at a clock that stays still unless it is
 * moved.
 */
export async function openClaiming(state: State, change: Options = {}) {
  await publishSample(state, sampleFigures({ merchants: merchantFigures }))
  const clock = { now: CLAIMED_AT }
  const { app } = sampleService(state, { now: () => clock.now, claimsPerMinute: 1_000, ...change })
  return { app, clock, ...clientOf(app) }
}

/** Calls of the claim routes as a program makes them. */
export function clientOf(app: ReportApp) {
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    // Every answer of these routes to a program is JSON.
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
  }
  const challenge = (wish: Record<string, unknown> = {}) =>
    post('/claims/challenge', { address: merchant.address, ...wish })
  /** The whole flow: text, signature, claim. */
  const claim = async (wish: Record<string, unknown> = {}) => {
    const { message } = (await challenge(wish)).body
    return post('/claims', { message, signature: await merchant.signMessage({ message }) })
  }
  const record = async (address: string = MERCHANT) =>
    (await (await app.request(`/merchants/base/${address}/claim.json`)).json()) as Body
  return { post, challenge, claim, record }
}

type Body = {
  readonly message: string
  readonly nonce: string
  readonly code?: string
  readonly detail?: string
  readonly issues?: readonly { readonly parameter: string; readonly detail: string }[]
  readonly [name: string]: unknown
}
