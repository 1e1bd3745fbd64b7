import { isAddress } from 'viem'
import * as z from 'zod'
import type { Address, Hex } from '../../chain/payment.ts'
import { findStatementIssue } from '../../claims/own-words.ts'

/** Test wallets, hot wallets, the wallets of one's own agents. */
const MAX_DISCLOSURES = 50
/** 16 kB: a passkey's signature and the deployment of its wallet take about 2. */
const MAX_SIGNATURE_CHARACTERS = 32_768
/** The longest text of ours: 500 characters of 12 encoded, 50 wallets, and the rest. */
const MAX_MESSAGE_CHARACTERS = 16_384

/** A wallet's address in any case, given in lower case; mixed case is taken for EIP-55 and checked. */
export const addressShape = z
  .string()
  .regex(/^0[xX][0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')
  .refine((text) => !isMixed(text) || isAddress(text), 'has a letter in the wrong case: a digit may be wrong')
  .transform((text) => text.toLowerCase() as Address)

const statementShape = z.string().superRefine((text, { addIssue }) => {
  const fault = findStatementIssue(text)
  if (fault) addIssue(fault)
})

/** Without doubles and in order, so that a list has one form. */
const disclosuresShape = z
  .array(addressShape)
  .max(MAX_DISCLOSURES)
  .transform((wallets) => [...new Set(wallets)].sort())

export const challengeShape = z
  .strictObject({
    address: addressShape,
    action: z.enum(['claim', 'withdraw']).default('claim'),
    statement: statementShape.nullish().transform((text) => text ?? null),
    disclosures: disclosuresShape.default([]),
  })
  .superRefine(({ address, action, statement, disclosures }, { addIssue }) => {
    const refuse = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message })
    if (disclosures.includes(address)) refuse('disclosures', 'holds the claiming wallet itself')
    if (action === 'claim') return
    if (statement !== null) refuse('statement', 'cannot be published by a withdrawal')
    if (disclosures.length > 0) refuse('disclosures', 'cannot be published by a withdrawal')
  })

const signatureShape = z
  .string()
  .max(MAX_SIGNATURE_CHARACTERS)
  .regex(/^0x(?:[0-9a-fA-F]{2})+$/, 'must be 0x and pairs of hex digits')
  .transform((text) => text.toLowerCase() as Hex)

export const claimShape = z.strictObject({
  message: z.string().max(MAX_MESSAGE_CHARACTERS),
  signature: signatureShape,
  statement: z.string().nullish(),
  disclosures: disclosuresShape.optional(),
})

/** A form names the text by its nonce: browsers rewrite the line breaks of a text that they send back. */
export const claimFormShape = z.strictObject({
  nonce: z.string().regex(/^[0-9a-f]{32}$/, 'is not one of ours'),
  signature: signatureShape,
})

function isMixed(text: string): boolean {
  const digits = text.slice(2)
  return digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
}
