import * as z from 'zod'
import { NAME, SAY_NAME, time } from '../wallet/wallet-contract.ts'

/** The specified price of `/api/store`. Chosen: the same for every call that reads or deletes. */
export const READ_PRICE_USD = '0.001'
/** Chosen: five times a read, for up to 1,000 rows; the specification has no price for it. */
export const WRITE_PRICE_USD = '0.005'

/** Parameters and fields shared by store endpoints. */
export const collectionName = z
  .string()
  .regex(NAME, SAY_NAME)
  .describe('1 to 64 letters, digits, points, underscores and hyphens.')
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

/** 50 MB per wallet (specification 2.5), counted as names and rows in UTF-8. */
export const QUOTA_BYTES = 50 * 1024 * 1024
/** UTF-8 bytes of a row as JSON. Chosen: rows are read and written whole, and a page has at least 16 of them. */
export const MAX_ROW_BYTES = 256 * 1024
/** Rows per call. Chosen: they are written in one transaction, which other writers of SQLite wait for. */
export const MAX_ROWS = 1_000
/** Collections per wallet. Chosen: more than programs name; a field tells more rows apart. */
export const MAX_COLLECTIONS = 1_000
/** Chosen: maximum body of many rows; larger sets need several calls. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024
/** Chosen: JSON values in all rows of a call, twice as many as in any other body. */
export const MAX_BODY_VALUES = 100_000
/** Chosen: a page ends early at this size, with a cursor to continue, so that no answer holds 50 MB. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024

const DAY_MS = 86_400_000
/** Chosen: a write keeps a collection for at least 60 days, a read for at least 30. */
export const TTL_AFTER_WRITE_MS = 60 * DAY_MS
export const TTL_AFTER_READ_MS = 30 * DAY_MS
