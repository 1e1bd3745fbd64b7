import * as z from 'zod'
import { NAME, time } from '../wallet/wallet-contract.ts'

/** The specified price of `/api/store`. Chosen: the same for every call that reads or deletes. */
export const READ_PRICE_USD = '0.001'
/** Chosen: a call that stores rows. The specification has no price for it. */
export const WRITE_PRICE_USD = '0.005'

/** Parameters and fields shared by store endpoints. */
export const collectionName = z
  .string()
  .regex(NAME)
  .describe('Name of a collection: 1 to 64 letters, digits, points, underscores and hyphens.')
export const rowId = z.int().min(1).describe('Row id.')
export const expectedVersion = z
  .int()
  .min(1)
  .optional()
  .describe('The version that the row must have; otherwise nothing changes. Equivalent to If-Match: "3".')
export const bytesUsed = z.int().min(0).describe('UTF-8 bytes of all names and rows of the paying wallet.')
export const quotaBytes = z.int().describe('Maximum bytes per wallet.')
export const row = z
  .looseObject({ id: rowId, version: z.int().min(1), created_at: time, updated_at: time })
  .describe('The store sets id, version and times; all other fields are as stored.')
