import { toUtcDate, toUtcText } from '../build/compose-report.ts'
import type { MerchantFigures } from '../build/figures.ts'
import type { Window } from '../build/window.ts'
import { ROLLING, rollingEdition } from '../published/edition-name.ts'
import type { ReportInputs } from '../published/inputs.ts'
import type { PublishedReport } from '../published/published-report.ts'
import { type Check, compare } from './check.ts'

export type InputFigures = {
  readonly report: PublishedReport
  /** From the chain. */
  readonly window: Window
  /** Recomputed. */
  readonly figures: MerchantFigures
  readonly reportSha256: string
  /** Digest of the evidence as it was read; undefined when it could not be read. */
  readonly evidenceSha256: string | undefined
}

/** Compares the figures of the report that the inputs repeat or state exactly with the chain. */
export function checkInputFigures(inputs: ReportInputs, recomputed: InputFigures): readonly Check[] {
  const { report, window, figures } = recomputed
  const isRolling = report.days !== 7 || inputs.edition === ROLLING
  const edition = isRolling ? rollingEdition(report.days) : toUtcDate(window.end)
  return [
    compare({ field: 'inputs.address', published: inputs.address, expected: report.address }),
    compare({ field: 'inputs.edition', published: inputs.edition, expected: edition }),
    compare({
      field: 'inputs.window.start_block',
      published: inputs.window.start_block,
      expected: window.startBlock,
    }),
    compare({
      field: 'inputs.window.end_block',
      published: inputs.window.end_block,
      expected: window.endBlock,
    }),
    compare({
      field: 'inputs.window.start',
      published: inputs.window.start,
      expected: toUtcText(window.start),
    }),
    compare({ field: 'inputs.window.end', published: inputs.window.end, expected: toUtcText(window.end) }),
    compare({
      field: 'inputs.generated_at',
      published: inputs.generated_at,
      expected: asText(report.document.generated_at),
    }),
    compare({
      field: 'inputs.rank.real_amount',
      published: inputs.rank.real_amount,
      expected: figures.realAmount.toString(),
    }),
    compare({ field: 'inputs.rank.real_tx', published: inputs.rank.real_tx, expected: figures.realTx }),
    ...(inputs.floor === undefined
      ? []
      : [compare({ field: 'inputs.floor', published: inputs.floor, expected: figures.floor.toString() })]),
    compare({
      field: 'inputs.report.sha256',
      published: inputs.report.sha256,
      expected: recomputed.reportSha256,
    }),
    ...checkEvidenceDigest(inputs, recomputed),
  ]
}

function checkEvidenceDigest(
  { evidence }: ReportInputs,
  { figures, evidenceSha256 }: InputFigures,
): readonly Check[] {
  if (!evidence) return []
  const digest = { field: 'inputs.evidence.sha256', published: evidence.sha256 }
  return [
    compare({ field: 'inputs.evidence.payments', published: evidence.payments, expected: figures.tx }),
    evidenceSha256 === undefined
      ? { ...digest, verdict: 'not_checked', note: 'the evidence could not be read' }
      : compare({ ...digest, expected: evidenceSha256 }),
  ]
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
