import * as z from 'zod'
import { NAME } from '../wallet/wallet-contract.ts'
import { CONTENT_TYPES, KEPT_VERSIONS, MAX_PAD_BYTES } from './limits.ts'

/** What the specification shows for `/api/scratchpad`. Chosen: the same for every call that reads or deletes. */
export const READ_PRICE_USD = '0.001'
/** Chosen: a call that writes a pad. The specification shows no price for it. */
export const WRITE_PRICE_USD = '0.002'

/** Parameters and fields that several scratchpad endpoints have. */
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
    'The version that the pad must have now, 0 when there must be none; otherwise nothing changes. If-Match: "3" says the same.',
  )
export const bytesUsed = z
  .int()
  .min(0)
  .describe(`UTF-8 bytes of all names and of all versions that are kept, up to ${KEPT_VERSIONS} of each pad.`)
export const quotaBytes = z.int().describe('Bytes that the pads of a wallet may use.')
