import type { Address } from '@tollbook/chain/hex'
import { parseJson } from '@tollbook/flow/parse-json'
import type { HealthState } from '@tollbook/verify/listings/health'
import * as z from 'zod'
import type { Listing } from '../listing.ts'
import { type ChallengeAnswer, readTerms } from './challenge.ts'

export type UnpaidAnswer = { readonly answer: ChallengeAnswer; readonly listings: readonly Listing[] }

/** A seller that validates arguments first rejects the empty request of a check. */
const REJECTED: ReadonlySet<number> = new Set([400, 415, 422])

/** Whether a buyer can pay an endpoint as listed, by one or more answers to unpaid requests. */
export function judgeHealth(
  answers: readonly UnpaidAnswer[],
  listed: Pick<Listing, 'payTo' | 'price'>,
  at: Date,
): HealthState {
  const challenges = answers.filter(({ answer }) => answer.status === 402)
  if (challenges.length === 0) {
    if (answers.some(({ answer }) => answer.status >= 500)) return 'unreachable'
    return answers.some(({ answer }) => REJECTED.has(answer.status)) ? 'unclear' : 'no_402'
  }
  const stated = challenges.filter(({ listings }) => listings.length > 0)
  if (stated.length === 0) return 'invalid_terms'
  const payable = stated.filter(({ listings }) => listings.some(({ payTo }) => payTo === listed.payTo))
  if (payable.length === 0) return 'payee_differs'
  const isListed = ({ payTo, price }: Listing) => payTo === listed.payTo && price === listed.price
  const same = payable.filter(({ listings }) => listings.some(isListed))
  if (same.length === 0) return 'price_differs'
  return same.every(({ answer }) => isExpired(answer, listed.payTo, at)) ? 'expired' : 'payable'
}

const seconds = z.number().optional().catch(undefined)
const payTo = z.string().toLowerCase().catch('')
const offerShape = z.object({ payTo, validUntil: seconds })
const termsShape = z.object({
  accepts: z.array(z.object({ payTo, maxTimeoutSeconds: seconds }).catch({ payTo: '' })).catch([]),
  extensions: z.object({
    'offer-receipt': z.object({
      info: z.object({
        offers: z.array(z.object({ payload: offerShape.optional(), signature: z.string() })),
      }),
    }),
  }),
})
const anyTerms = termsShape.partial({ extensions: true }).or(termsShape.pick({ accepts: true }))

/** No time is left to settle, or every signed offer has ended (`validUntil`; 0 means no end). */
function isExpired(answer: ChallengeAnswer, payee: Address, at: Date): boolean {
  for (const document of readTerms(answer)) {
    const { data } = anyTerms.safeParse(document)
    const own = data?.accepts.filter((accept) => accept.payTo === payee) ?? []
    if (!data || own.length === 0) continue
    if (own.every(({ maxTimeoutSeconds }) => maxTimeoutSeconds !== undefined && maxTimeoutSeconds <= 0))
      return true
    const offers = 'extensions' in data ? (data.extensions?.['offer-receipt'].info.offers ?? []) : []
    const ends = offers
      .map((offer) => offer.payload ?? readSigned(offer.signature))
      .filter((offer) => offer?.payTo === payee)
      .map((offer) => offer?.validUntil ?? 0)
    return ends.length > 0 && ends.every((end) => end > 0 && end * 1000 <= at.getTime())
  }
  return false
}

/** The payload of a compact JWS (RFC 7515 section 3.1). */
function readSigned(signature: string): z.output<typeof offerShape> | undefined {
  const payload = parseJson(Buffer.from(signature.split('.')[1] ?? '', 'base64url'))
  return offerShape.safeParse(payload).data
}
