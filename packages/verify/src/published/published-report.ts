import type { Address } from '@tollbook/chain/hex'
import * as z from 'zod'
import { WINDOW_DAYS } from '../build/window.ts'
import { UnusableDocument } from './failure.ts'
import type { ReportInputs } from './inputs.ts'
import { reportInputsShape } from './inputs.ts'

/** Times in JSON documents are UTC with an explicit offset. */
const utcText = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)
const time = utcText.transform((text) => Date.parse(text) / 1000).pipe(z.number().int())

/** The fields that identify a report. Everything else may have any form: it is compared value by value. */
const keyShape = z.looseObject({
  schema_version: z.literal('1'),
  chain: z.literal('base'),
  address: z.union([z.string().regex(/^0x[0-9a-f]{40}$/), z.string().regex(/^host:[\w.:-]+$/)]),
  window: z.looseObject({
    start_block: z.number().int(),
    end_block: z.number().int(),
    start: time,
    end: time,
    days: z.unknown().optional(),
  }),
})

/** A published report: the unmodified document, and the fields that identify it. */
export type PublishedReport = {
  readonly document: Readonly<Record<string, unknown>>
  /** Of a wallet, or the key of a merchant group. */
  readonly address: Address
  readonly endBlock: number
  /** Epoch seconds. */
  readonly end: number
  readonly days: number
}

/** @throws UnusableDocument with the first issues, when the document is not a merchant report. */
export function parsePublishedReport(document: unknown): PublishedReport {
  const parsed = keyShape.safeParse(document)
  if (!parsed.success) throw new UnusableDocument(`not a merchant report: ${listIssues(parsed.error)}`)
  const { address, window } = parsed.data
  return {
    // The schema accepts only objects.
    document: document as Readonly<Record<string, unknown>>,
    address: address as Address,
    endBlock: window.end_block,
    end: window.end,
    // Compared with the others like any field.
    days: WINDOW_DAYS.find((days) => days === window.days) ?? 7,
  }
}

/** @throws UnusableDocument with the first issues, without the inputs of a report. */
export function parseInputs(document: unknown): ReportInputs {
  const parsed = reportInputsShape.safeParse(document)
  if (!parsed.success) throw new UnusableDocument(`not the inputs of a report: ${listIssues(parsed.error)}`)
  return parsed.data
}

const ISSUES_SHOWN = 5

function listIssues(error: z.ZodError): string {
  return error.issues
    .slice(0, ISSUES_SHOWN)
    .map(({ path, message }) => `${path.map(String).join('.').slice(0, 100) || 'document'}: ${message}`)
    .join('; ')
}
