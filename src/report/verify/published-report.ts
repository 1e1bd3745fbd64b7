import * as z from 'zod'
import type { Address } from '../chain/payment.ts'
import type { ReportInputs } from '../publish/editions/inputs.ts'
import { reportInputsShape } from '../publish/editions/inputs.ts'
import { UnusableDocument } from './failure.ts'

/** Times of JSON documents are UTC with the offset written out. */
const utcText = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)
const time = utcText.transform((text) => Date.parse(text) / 1000).pipe(z.number().int())

/** What says which report it is. Everything else may have any form: it is compared value by value. */
const keyShape = z.looseObject({
  schema_version: z.literal('1'),
  chain: z.literal('base'),
  address: z.string().regex(/^0x[0-9a-f]{40}$/),
  window: z.looseObject({
    start_block: z.number().int(),
    end_block: z.number().int(),
    start: time,
    end: time,
  }),
})

/** A published report: the document as it is, and what says which report it is. */
export type PublishedReport = {
  readonly document: Readonly<Record<string, unknown>>
  readonly address: Address
  readonly endBlock: number
  /** Epoch seconds. */
  readonly end: number
}

/** @throws UnusableDocument that names the first faults, when the document is no merchant report. */
export function parsePublishedReport(document: unknown): PublishedReport {
  const parsed = keyShape.safeParse(document)
  if (!parsed.success) throw new UnusableDocument(`this is no merchant report: ${listFaults(parsed.error)}`)
  const { address, window } = parsed.data
  return {
    // The shape accepts objects only.
    document: document as Readonly<Record<string, unknown>>,
    address: address as Address,
    endBlock: window.end_block,
    end: window.end,
  }
}

/** @throws UnusableDocument that names the first faults, when the document holds no inputs of a report. */
export function parseInputs(document: unknown): ReportInputs {
  const parsed = reportInputsShape.safeParse(document)
  if (!parsed.success)
    throw new UnusableDocument(`these are no inputs of a report: ${listFaults(parsed.error)}`)
  return parsed.data
}

const FAULTS_SHOWN = 5

function listFaults(error: z.ZodError): string {
  return error.issues
    .slice(0, FAULTS_SHOWN)
    .map(({ path, message }) => `${path.map(String).join('.').slice(0, 100) || 'document'}: ${message}`)
    .join('; ')
}
