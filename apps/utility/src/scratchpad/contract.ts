import * as z from 'zod'
import { NAME, SAY_NAME } from '../wallet/wallet-contract.ts'

/** The specified price of `/api/scratchpad`. Chosen: the same for every call that reads or deletes. */
export const READ_PRICE_USD = '0.001'
/** Chosen: twice a read, since a write flushes the disk; the specification has no price for it. */
export const WRITE_PRICE_USD = '0.002'

/** Parameters and fields shared by scratchpad endpoints. */
export const padName = z
  .string()
  .regex(NAME, SAY_NAME)
  .describe('1 to 64 letters, digits, points, underscores and hyphens.')
export const version = z.int().min(1)

/** UTF-8 bytes of a pad's content. Chosen: a pad is read and written whole, in one body. */
export const MAX_PAD_BYTES = 1024 * 1024
/** Pads of one wallet. Chosen: with the size above 100 MB, twice the quota of `/api/store`. */
export const MAX_PADS = 100
/** Names and earlier versions included. Chosen: every pad may have the maximum size, and then no earlier version. */
export const PADS_QUOTA_BYTES = MAX_PADS * MAX_PAD_BYTES
/** The newest versions of a pad, with the current one. Chosen: enough to undo a mistake; each is stored whole. */
export const MAX_VERSIONS = 10
/** Chosen: content of maximum size fits even if every byte is written as an escape of six. */
export const MAX_BODY_BYTES = 6 * MAX_PAD_BYTES + 4096

/** Lifetime of a pad. Chosen: a pad is for the task at hand, a week by default; what lasts belongs into `/api/store`. */
export const TTL_SECONDS = { min: 60, max: 90 * 86_400, standard: 7 * 86_400 } as const

/** The media type of content returned raw. */
export const CONTENT_TYPES = {
  text: 'text/plain; charset=utf-8',
  json: 'application/json; charset=utf-8',
} as const

export const sizeBytes = z.int().describe(`UTF-8 bytes of the content, at most ${MAX_PAD_BYTES}.`)
export const contentType = z.enum([CONTENT_TYPES.text, CONTENT_TYPES.json])
export const expectedVersion = z
  .int()
  .min(0)
  .optional()
  .describe(
    'The version that the pad must have, 0 if it must not exist; otherwise nothing changes. Equivalent to If-Match: "3".',
  )
export const bytesUsed = z
  .int()
  .min(0)
  .describe(`UTF-8 bytes of all names and of all stored versions, up to ${MAX_VERSIONS} of each pad.`)
export const quotaBytes = z.int().describe('Maximum bytes of all pads of a wallet.')
