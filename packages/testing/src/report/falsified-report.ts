import assert from 'node:assert/strict'
import { toSha256 } from '@tollbook/report/editions/basis'
import type { EvidenceLine } from '@tollbook/report/evidence/evidence-stream'
import type { ReportInputs } from '@tollbook/verify/published/inputs'

/** Documents that may be changed in any way. */
export type Forgery = {
  // biome-ignore lint/suspicious/noExplicitAny: a forger writes what it likes
  report: any
  // biome-ignore lint/suspicious/noExplicitAny: a forger writes what it likes
  inputs: any
  rows: EvidenceLine[]
}

/**
 * Changes copies of a report's documents and then, like a careful forger, everything that repeats what was
 * changed: the digests, and the sums of the evidence. So only the chain reveals the change.
 */
export function forge(
  published: { readonly report: unknown; readonly inputs: ReportInputs; readonly evidence: string },
  change: (forgery: Forgery) => void,
): { readonly report: unknown; readonly inputs: unknown; readonly evidence: string } {
  const forgery: Forgery = structuredClone({
    report: published.report,
    inputs: published.inputs,
    rows: published.evidence
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as EvidenceLine),
  })
  const before = structuredClone(forgery)
  change(forgery)
  const { report, inputs, rows } = forgery
  const evidence = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  if (inputs.report.sha256 === before.inputs.report.sha256)
    inputs.report.sha256 = toSha256(`${JSON.stringify(report)}\n`)
  if (inputs.evidence) inputs.evidence.sha256 = toSha256(evidence)
  for (const name of ['start_block', 'end_block', 'start', 'end'])
    if (inputs.window[name] === before.inputs.window[name]) inputs.window[name] = report.window?.[name]
  if (inputs.generated_at === before.inputs.generated_at) inputs.generated_at = report.generated_at
  return { report, inputs, evidence }
}

/** What is falsified, a field that must be named (`*`: any part), and how. */
export type Falsification = readonly [name: string, field: string, change: (forgery: Forgery) => void]

/** @throws AssertionError if a field that differs is not among those named. */
export function assertNamed(field: string, named: readonly string[]): void {
  const pattern = new RegExp(`^${field.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`)
  assert(
    named.some((each) => pattern.test(each)),
    `${field} is not among ${named.join(', ')}`,
  )
}

/** Takes a flag off, in the report and in the evidence. */
export function excuse({ report, rows }: Forgery, kind: string): void {
  const { tx, usd } = report.flags[kind]
  delete report.flags[kind]
  report.real_tx += tx
  report.real_usd = addUsd(report.real_usd, usd)
  for (const row of rows) if (row.flag === kind) Object.assign(row, { flag: null, verdict: 'passes' })
}

/** Money as JSON has it. */
export function addUsd(dollars: number, more: number): number {
  return Number((dollars + more).toFixed(6))
}
