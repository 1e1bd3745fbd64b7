import type { Address } from '@tollbook/chain/hex'
import { type AtomicUsdc, toExactUsdNumber } from '@tollbook/chain/usdc'
import { toUtcText } from '@tollbook/verify/build/compose-report'
import { utcTime } from '@tollbook/verify/build/merchant-report'
import * as z from 'zod'
import { type Challenge, renderChallengeText } from '../claims/challenge-text.ts'
import type { Claim } from '../claims/stored-claims.ts'

const NOTE =
  'Statement and disclosures are the merchant’s own words; nobody has checked them. The message contains both, ' +
  'so verifying its signature (EIP-191, ERC-1271 or ERC-6492) verifies this record.'

const wallet = z.string().regex(/^0x[0-9a-f]{40}$/)
const published = {
  address: wallet,
  statement: z.string().nullable(),
  disclosures: z.array(wallet),
  max_price_usd: z.number().min(0).optional().describe('Absent if the merchant states none.'),
} as const

export const claimShape = z.object({
  ...published,
  chain: z.literal('base'),
  claimed: z.boolean(),
  action: z.enum(['claim', 'withdraw']).nullable(),
  made_at: utcTime.nullable(),
  message: z.string().nullable(),
  signature: z.string().nullable(),
  note: z.string(),
})

export const challengeShape = z.object({
  ...published,
  action: z.enum(['claim', 'withdraw', 'alerts']),
  nonce: z.string(),
  issued_at: utcTime,
  expires_at: utcTime,
  message: z.string(),
})

/** The record of a wallet's newest signed text; `claimed` is false without a text, or if it withdraws. */
export function toClaimDocument(address: Address, claim: Claim | null) {
  return {
    address,
    chain: 'base' as const,
    claimed: claim?.action === 'claim',
    action: claim?.action ?? null,
    made_at: claim === null ? null : toUtcText(claim.madeAt.getTime() / 1000),
    statement: claim?.statement ?? null,
    disclosures: [...(claim?.disclosures ?? [])],
    ...toPrice(claim?.maxPrice ?? null),
    message: claim?.message ?? null,
    signature: claim?.signature ?? null,
    note: NOTE,
  }
}

export function toChallengeDocument(challenge: Challenge, baseUrl: string) {
  return {
    address: challenge.address,
    action: challenge.action,
    statement: challenge.statement,
    disclosures: [...challenge.disclosures],
    ...toPrice(challenge.maxPrice),
    nonce: challenge.nonce,
    issued_at: toUtcText(challenge.issuedAt.getTime() / 1000),
    expires_at: toUtcText(challenge.expiresAt.getTime() / 1000),
    message: renderChallengeText(challenge, baseUrl),
  }
}

function toPrice(price: AtomicUsdc | null): { readonly max_price_usd?: number } {
  return price === null ? {} : { max_price_usd: toExactUsdNumber(price) }
}
