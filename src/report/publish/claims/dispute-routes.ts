import * as z from 'zod'
import { fileDispute, MAX_CONTACT_CHARACTERS, MAX_DISPUTE_CHARACTERS } from '../../claims/disputes.ts'
import { findLinesIssue, findTextIssue } from '../../claims/own-words.ts'
import { PAGE_HEADERS } from '../pages/layout.ts'
import type { PostedRequest, ReportPorts, ReportRoute } from '../serving/route.ts'
import { addressShape } from './claim-fields.ts'
import { renderFiledPage } from './claims-page.ts'
import { checkFields, readPosted } from './posted-fields.ts'

const disputeShape = z.strictObject({
  address: addressShape,
  week: z.iso.date('must be a date such as 2026-11-15').nullish(),
  contact: checked(MAX_CONTACT_CHARACTERS, findTextIssue).nullish(),
  text: z
    .string()
    .transform((text) => text.replaceAll('\r\n', '\n').trim())
    .pipe(checked(MAX_DISPUTE_CHARACTERS, findLinesIssue)),
})

/** A note to the operator from a merchant that cannot sign. */
export const DISPUTE_ROUTES: readonly ReportRoute[] = [
  { name: 'disputes', path: '/disputes', post: takeDispute, isPage: true },
]

async function takeDispute({ context, client }: PostedRequest, ports: ReportPorts): Promise<Response> {
  const { given, form } = await readPosted(context)
  const { address, week = null, contact = null, text } = checkFields(disputeShape, given)
  const note = { address, week, contact, text }
  const { id } = await fileDispute(ports.state, note, { client, now: ports.now() })
  const headers = { 'cache-control': 'no-store' }
  if (form)
    return new Response(await renderFiledPage(id), {
      headers: { ...headers, 'content-type': 'text/html; charset=utf-8', ...PAGE_HEADERS },
    })
  return Response.json({ id, status: 'open' }, { status: 201, headers })
}

/** Text of bounded length, measured in user-perceived characters. */
function checked(max: number, findFault: (text: string) => string | null) {
  return z
    .string()
    .min(1)
    .superRefine((text, { addIssue }) => {
      const length = [...text].length
      if (length > max) addIssue(`must have at most ${max} characters; it has ${length}`)
      const fault = findFault(text)
      if (fault) addIssue(fault)
    })
}
