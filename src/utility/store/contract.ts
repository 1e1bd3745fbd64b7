import * as z from 'zod'
import type { Address, Call } from '../../catalogue/endpoint.ts'
import { ProblemError } from '../../catalogue/problem.ts'
import type { UtilityPorts } from '../ports.ts'
import type { WalletCall } from './change-wallet.ts'
import { NAME } from './limits.ts'

/** What the specification shows for `/api/store`. Chosen: the same for every call that reads or deletes. */
export const READ_PRICE_USD = '0.001'
/** Chosen: a call that stores rows. The specification shows no price for it. */
export const WRITE_PRICE_USD = '0.005'

/** Parameters and fields that several store endpoints have. */
export const collectionName = z
  .string()
  .regex(NAME)
  .describe('Name of a collection: 1 to 64 letters, digits, points, underscores and hyphens.')
export const rowId = z.int().min(1).describe('Id of a row.')
export const expectedVersion = z
  .int()
  .min(1)
  .optional()
  .describe('The version that the row must have now; otherwise nothing changes. If-Match: "3" says the same.')
export const time = z.iso.datetime()
export const bytesUsed = z.int().min(0).describe('UTF-8 bytes of all names and rows of the paying wallet.')
export const quotaBytes = z.int().describe('Bytes that a wallet may use.')
export const row = z
  .looseObject({ id: rowId, version: z.int().min(1), created_at: time, updated_at: time })
  .describe('The store gives id, version and times; all other fields are as they were stored.')

/** The part of a call that the store works with; the payer of the verified payment is the owner. */
export function toWalletCall(call: Call<unknown, UtilityPorts, Address>): WalletCall {
  const { ports, payer, callId, now, signal } = call
  return { state: ports.state, wallet: payer, callId, now, signal }
}

/** Epoch milliseconds as they are answered. */
export function toTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** The tag of a row's version (RFC 9110 section 8.8.3). */
export function toTag(version: number): string {
  return `"${version}"`
}

/**
 * The version that a change expects: by `If-Match`, else by parameter, else by the body; null for any.
 * @throws ProblemError when `If-Match` holds no version.
 */
export function readExpectedVersion(
  ifMatch: string,
  ...others: readonly (number | null | undefined)[]
): number | null {
  if (ifMatch.trim() === '*') return null
  if (ifMatch === '') return others.find((version) => typeof version === 'number') ?? null
  const match = /^\s*(?:W\/)?"(\d{1,15})"\s*$/.exec(ifMatch)
  if (match) return Number(match[1])
  throw new ProblemError({ code: 'invalid_request', detail: 'If-Match holds no version such as "3".' })
}
