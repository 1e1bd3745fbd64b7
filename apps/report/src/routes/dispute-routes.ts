import { walletAddress } from '@tollbook/chain/wallet-address'
import { json } from '@tollbook/endpoints/answer'
import { defineEndpoint } from '@tollbook/endpoints/endpoint'
import { acceptsHtml } from '@tollbook/http/reply/document'
import * as z from 'zod'
import { fileDispute, MAX_CONTACT_CHARACTERS, MAX_DISPUTE_CHARACTERS } from '../claims/disputes.ts'
import { findLinesIssue, findTextIssue } from '../claims/own-words.ts'
import { renderFiledPage } from '../pages/claims-page.ts'
import { POST } from './claim-routes.ts'
import { answerHtml, type ReportCall } from './reads/define-read.ts'
import { EXAMPLE_ADDRESS } from './reads/parameters.ts'

const disputeInput = z.object({
  address: walletAddress,
  week: z.iso
    .date('must be a date such as 2026-11-15')
    .nullish()
    .describe('Last day of a published week; null for the newest window.'),
  contact: checked(MAX_CONTACT_CHARACTERS, findTextIssue).nullish().describe('Visible to the operator only.'),
  text: z
    .string()
    .transform((text) => text.replaceAll('\r\n', '\n').trim())
    .pipe(checked(MAX_DISPUTE_CHARACTERS, findLinesIssue)),
})

/** A note to the operator from a merchant that cannot sign. */
export const dispute = defineEndpoint({
  ...POST,
  id: 'disputes',
  path: '/disputes',
  summary: 'Send a note to the operator if you cannot sign',
  description:
    'Sends a note to the operator if you cannot sign. At most five a day; notes are never published.',
  input: disputeInput,
  output: z.object({ id: z.string(), status: z.literal('open') }),
  example: { input: { address: EXAMPLE_ADDRESS, text: 'Two of the buyers are one person.' } },
  fromForm: (fields) => fields,
  async handle({ input, ports, clientAddress: client, accept }: ReportCall<z.output<typeof disputeInput>>) {
    const { address, week = null, contact = null, text } = input
    const note = { address, week, contact, text }
    const { id } = await fileDispute(ports.state, note, { client, now: ports.now() })
    if (acceptsHtml(accept)) return answerHtml(await renderFiledPage(id))
    return json({ id, status: 'open' as const }, { status: 201, headers: { 'cache-control': 'no-store' } })
  },
})

/** Text of bounded length, measured in user-perceived characters. */
function checked(max: number, findIssue: (text: string) => string | null) {
  return z
    .string()
    .min(1)
    .superRefine((text, { addIssue }) => {
      const length = [...text].length
      if (length > max) addIssue(`must have at most ${max} characters; it has ${length}`)
      const issue = findIssue(text)
      if (issue) addIssue(issue)
    })
    .meta({ maxLength: max })
}
