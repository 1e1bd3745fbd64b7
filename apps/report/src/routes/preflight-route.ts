import type { Address } from '@tollbook/chain/hex'
import { toExactUsdNumber } from '@tollbook/chain/usdc'
import type { FreeAnswer } from '@tollbook/endpoints/answer'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { health, type MerchantReport, reportShape } from '@tollbook/verify/build/merchant-report'
import { toHealthRecord } from '@tollbook/verify/listings/merchant-listings'
import { ROLLING } from '@tollbook/verify/published/edition-name'
import * as z from 'zod'
import { isUnhealthy } from '../listings/endpoint-health.ts'
import { type ListedOffer, readListedOffers } from '../listings/stored-listings.ts'
import { defineRead, type ReportCall, toJsonDocument } from './reads/define-read.ts'
import { address, EXAMPLE_ADDRESS } from './reads/parameters.ts'
import { parseReport } from './reads/requested-report.ts'

const MAX_URL_LENGTH = 2000
/** What is unusual about the terms of a payment, for a client that decides without a person. */
const NOTES = {
  unknown_wallet: 'No x402 payment to this wallet was found in the window, and no listing names it.',
  no_payments: 'No x402 payment to this wallet was found in the window.',
  not_listed: 'No catalogue lists this resource.',
  other_payee: 'Catalogues list this resource with another payee.',
  price_above_listing: 'The amount is above every listed price of this resource for this wallet.',
  unhealthy_endpoint:
    'The last unpaid request to this resource did not get a 402 with the listed terms; see health.',
  mostly_flagged: 'Less than half of the reported dollars pass the screens.',
  one_buyer: 'One buyer paid at least 90 % of the reported dollars.',
} as const

type Note = keyof typeof NOTES

const codes = Object.keys(NOTES) as [Note, ...Note[]]

const merchantShape = reportShape.pick({
  name: true,
  claimed: true,
  window: true,
  tx: true,
  usd: true,
  real_tx: true,
  real_usd: true,
  buyers: true,
  real_buyers: true,
  top_buyer_share: true,
  flags: true,
  rank_by_real_revenue: true,
  page: true,
})
const preflightShape = z.object({
  pay_to: z.string(),
  resource: z.string().nullable(),
  notes: z
    .array(z.object({ code: z.enum(codes), text: z.string() }))
    .describe('What is unusual about these terms; empty if nothing is. A note is not an accusation.'),
  merchant: merchantShape
    .extend({
      name_confirmed: z.boolean().describe('Whether the wallet confirms the name, or two sources agree.'),
    })
    .nullable()
    .describe('What the wallet received in the newest window; null if no payment to it was found.'),
  listings: z
    .array(z.object({ pay_to: z.string(), price_usd: z.number().min(0), health: health.nullable() }))
    .describe(
      'Payees and prices that catalogues list for this resource, exactly as its URL is listed, and what unpaid requests to it showed.',
    ),
})

/** What a buyer's client should know before it signs. */
export const preflight: Endpoint = defineRead({
  id: 'preflight',
  path: '/preflight',
  summary: 'What is known about a seller, and unusual about its terms, before you pay',
  input: z.object({
    payTo: address.describe('`payTo` of the 402 response.'),
    resource: z.url().max(MAX_URL_LENGTH).optional().describe('URL of the paid endpoint, as it is listed.'),
    amount: z
      .string()
      .regex(/^\d{1,20}$/, 'must be micro-USDC, as in the 402 response')
      .optional()
      .describe('`amount` of the 402 response, in micro-USDC.'),
  }),
  output: preflightShape,
  example: { payTo: EXAMPLE_ADDRESS, resource: 'https://api.example.com/weather', amount: '1000' },
  answer: answerPreflight,
})

type Input = {
  readonly payTo: Terms['payTo']
  readonly resource?: string | undefined
  readonly amount?: string | undefined
}

async function answerPreflight({ input, ports }: ReportCall<Input>): Promise<FreeAnswer> {
  const { payTo, resource, amount } = input
  const stored = await ports.reader.report(ROLLING, payTo)
  const offers = resource === undefined ? [] : await readListedOffers(ports.state, resource)
  const terms = { payTo, resource, amount: amount === undefined ? undefined : BigInt(amount) }
  const report = stored ? parseReport(stored) : null
  const isNameConfirmed = stored?.is_name_confirmed === 1
  const body = composePreflight(terms, { report, isNameConfirmed, offers })
  return toJsonDocument(body, { maxAgeSeconds: ports.maxAgeSeconds })
}

type Terms = {
  readonly payTo: Address
  readonly resource: string | undefined
  /** Micro-USDC. */
  readonly amount: bigint | undefined
}

const MOSTLY = 0.5
const ONE_BUYER = 0.9

/** Compares the terms of a payment with what is known about their payee and resource. */
function findNotes(
  { payTo, resource, amount }: Terms,
  known: { readonly report: MerchantReport | null; readonly offers: readonly ListedOffer[] },
): readonly Note[] {
  const { report, offers } = known
  const own = offers.filter((offer) => offer.payTo === payTo)
  const isListed = own.length > 0 || (report?.bazaar_listings.length ?? 0) > 0
  const notes: Note[] = []
  if (!report) notes.push(isListed ? 'no_payments' : 'unknown_wallet')
  if (resource !== undefined && offers.length === 0) notes.push('not_listed')
  if (offers.length > 0 && own.length === 0) notes.push('other_payee')
  if (amount !== undefined && own.length > 0 && own.every(({ price }) => amount > price))
    notes.push('price_above_listing')
  if (own.some(({ health }) => health && isUnhealthy(health.state))) notes.push('unhealthy_endpoint')
  if (report && report.real_usd < MOSTLY * report.usd) notes.push('mostly_flagged')
  if (report && report.top_buyer_share >= ONE_BUYER) notes.push('one_buyer')
  return notes
}

function composePreflight(
  terms: Terms,
  known: {
    readonly report: MerchantReport | null
    readonly isNameConfirmed: boolean
    readonly offers: readonly ListedOffer[]
  },
) {
  const { report, isNameConfirmed, offers } = known
  return {
    pay_to: terms.payTo,
    resource: terms.resource ?? null,
    notes: findNotes(terms, known).map((code) => ({ code, text: NOTES[code] })),
    merchant: report && {
      name: report.name,
      name_confirmed: isNameConfirmed,
      claimed: report.claimed,
      window: report.window,
      tx: report.tx,
      usd: report.usd,
      real_tx: report.real_tx,
      real_usd: report.real_usd,
      buyers: report.buyers,
      real_buyers: report.real_buyers,
      top_buyer_share: report.top_buyer_share,
      flags: report.flags,
      rank_by_real_revenue: report.rank_by_real_revenue,
      page: report.page,
    },
    listings: offers.map(({ payTo, price, health }) => ({
      pay_to: payTo,
      price_usd: toExactUsdNumber(price),
      health: health ? toHealthRecord(health) : null,
    })),
  }
}
