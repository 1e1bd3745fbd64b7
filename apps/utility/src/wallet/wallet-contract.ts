import type { Address, Call } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import type { State } from '../state/state.ts'
import type { WalletCall } from './change-wallet.ts'

/** A timestamp in an answer. */
export const time = z.iso.datetime()

/** Names of collections and pads. */
export const NAME = /^[A-Za-z0-9._-]{1,64}$/
export const SAY_NAME = 'must be 1 to 64 letters, digits, points, underscores and hyphens, without spaces'

/** The context of a call on wallet data; the payer of the verified payment is the owner. */
export function toWalletCall(call: Call<unknown, { readonly state: State }, Address>): WalletCall {
  const { ports, payer, effects, now, signal } = call
  return { state: ports.state, wallet: payer, effects, now, signal }
}

/** Epoch milliseconds as an ISO 8601 time. */
export function toTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** The entity tag of a version (RFC 9110 section 8.8.3). */
export function toTag(version: number): string {
  return `"${version}"`
}

/**
 * The version that a change expects: by `If-Match`, else by parameter, else by the body; null for any.
 * @throws ProblemError if `If-Match` holds no version.
 */
export function readExpectedVersion(
  ifMatch: string,
  ...others: readonly (number | null | undefined)[]
): number | null {
  if (ifMatch.trim() === '*') return null
  if (ifMatch === '') return others.find((version) => typeof version === 'number') ?? null
  const match = /^\s*(?:W\/)?"(\d{1,15})"\s*$/.exec(ifMatch)
  if (match) return Number(match[1])
  throw new ProblemError({ code: 'invalid_request', detail: 'If-Match is not a version such as "3".' })
}
