import * as z from 'zod'
import { NAME, time } from '../wallet/wallet-contract.ts'

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
export const bytesUsed = z.int().min(0).describe('UTF-8 bytes of all names and rows of the paying wallet.')
export const quotaBytes = z.int().describe('Bytes that a wallet may use.')
export const row = z
  .looseObject({ id: rowId, version: z.int().min(1), created_at: time, updated_at: time })
  .describe('The store gives id, version and times; all other fields are as they were stored.')
