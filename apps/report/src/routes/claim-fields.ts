import type { Hex } from '@tollbook/chain/hex'
import { parseUsd } from '@tollbook/chain/usdc'
import { walletAddress } from '@tollbook/chain/wallet-address'
import * as z from 'zod'
import { findStatementIssue, MAX_STATEMENT_CHARACTERS } from '../claims/own-words.ts'

/** Test wallets, hot wallets and the wallets of the merchant's own agents. */
const MAX_DISCLOSURES = 50
/** 16 kB. A passkey signature with the deployment of its wallet takes about 2 kB. */
const MAX_SIGNATURE_CHARACTERS = 32_768
/** The longest text issued: 500 characters of 12 encoded bytes, 50 wallets, and the fixed lines. */
const MAX_MESSAGE_CHARACTERS = 16_384

const statementShape = z
  .string()
  .superRefine((text, { addIssue }) => {
    const issue = findStatementIssue(text)
    if (issue) addIssue(issue)
  })
  .meta({ maxLength: MAX_STATEMENT_CHARACTERS })

/** Sorted and without duplicates, so that a list has one canonical form. */
const disclosuresShape = z
  .array(walletAddress)
  .max(MAX_DISCLOSURES)
  .transform((wallets) => [...new Set(wallets)].sort())

const maxPriceShape = z
  .string()
  .regex(/^(?=.*[1-9])\d{1,9}(?:\.\d{1,6})?$/, 'must be dollars above 0, such as 250 or 0.05')
  .transform(parseUsd)
  .nullish()
  .meta({ description: 'The highest price that the merchant charges, in dollars.' })

export const challengeInput = z
  .object({
    address: walletAddress.describe(
      'The wallet that receives the payments. A mixed-case address is checked as EIP-55.',
    ),
    action: z
      .enum(['claim', 'withdraw', 'alerts'])
      .default('claim')
      .describe('`alerts` publishes nothing: its signature opens a session that manages webhooks.'),
    statement: statementShape
      .nullish()
      .transform((text) => text ?? null)
      .describe(
        'The merchant’s own statement: plain text without control, bidirectional or invisible characters.',
      ),
    disclosures: disclosuresShape.default([]).describe('Other wallets of the merchant.'),
    max_price_usd: maxPriceShape.transform((price) => price ?? null),
  })
  .superRefine(({ address, action, statement, disclosures, max_price_usd }, { addIssue }) => {
    const refuse = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message })
    if (disclosures.includes(address)) refuse('disclosures', 'contains the claiming wallet itself')
    if (action === 'claim') return
    if (statement !== null) refuse('statement', 'must be absent unless a report is claimed')
    if (max_price_usd !== null) refuse('max_price_usd', 'must be absent unless a report is claimed')
    if (disclosures.length > 0) refuse('disclosures', 'must be absent unless a report is claimed')
  })

const signatureShape = z
  .string()
  .max(MAX_SIGNATURE_CHARACTERS)
  .regex(/^0x(?:[0-9a-fA-F]{2})+$/, 'must be 0x and pairs of hex digits')
  .transform((text) => text.toLowerCase() as Hex)

export const claimInput = z.object({
  message: z
    .string()
    .max(MAX_MESSAGE_CHARACTERS)
    .optional()
    .describe('The message of the challenge, byte for byte.'),
  nonce: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'is not a nonce issued by this service')
    .optional()
    .describe('In place of message: the nonce of the challenge. Browsers rewrite the line breaks of a text.'),
  signature: signatureShape.describe(
    'An EIP-191 signature, or a signature that the wallet accepts by ERC-1271 or ERC-6492.',
  ),
  statement: z.string().nullish().describe('If present, it must equal the value in the message.'),
  disclosures: disclosuresShape.optional().describe('If present, it must equal the value in the message.'),
  max_price_usd: maxPriceShape.describe('If present, it must equal the value in the message.'),
})
