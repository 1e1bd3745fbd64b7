import * as z from 'zod'
import type { FreeAnswer } from '../../../catalogue/answer.ts'
import type { Endpoint } from '../../../catalogue/endpoint.ts'
import { health, reportShape } from '../../build/merchant-report.ts'
import { readListedOffers } from '../../listings/stored-listings.ts'
import { ROLLING } from '../editions/publish-run.ts'
import { parseReport } from '../merchant/requested-report.ts'
import { defineRead, JSON_TYPE, type ReportCall, toIndentedJson } from '../serving/define-read.ts'
import { address, EXAMPLE_ADDRESS } from '../serving/parameters.ts'
import { composePreflight, NOTES, type Note, type Terms } from './compose-preflight.ts'

const MAX_URL_LENGTH = 2000
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
  return {
    kind: 'document',
    content: toIndentedJson(body),
    contentType: JSON_TYPE,
    maxAgeSeconds: ports.maxAgeSeconds,
  }
}
