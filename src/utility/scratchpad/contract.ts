import * as z from 'zod'
import { NAME } from '../wallet/wallet-contract.ts'
import { CONTENT_TYPES, MAX_PAD_BYTES, MAX_VERSIONS } from './limits.ts'

/** The specified price of `/api/scratchpad`. Chosen: the same for every call that reads or deletes. */
export const READ_PRICE_USD = '0.001'
/** Chosen: a call that writes a pad. The specification has no price for it. */
export const WRITE_PRICE_USD = '0.002'

/** Parameters and fields shared by scratchpad endpoints. */
export const padName = z
  .string()
  .regex(NAME)
  .describe('Name of a pad: 1 to 64 letters, digits, points, underscores and hyphens.')
export const version = z.int().min(1)
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
