import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { explainFailure } from './explain-failure.ts'
import { loadPublished } from './load-published.ts'
import type { DocumentSource } from './published/read-document.ts'
import { renderVerification, toVerificationDocument, type Verified } from './render-verification.ts'
import { isOverview, verifyOverview } from './verify-overview.ts'
import { type Verification, verifyReport } from './verify-report.ts'

/** The options of the command besides `rpc`. */
export const VERIFY_OPTIONS = {
  inputs: { type: 'string', value: 'url|file', help: 'inputs of the report (default: next to the report)' },
  evidence: {
    type: 'string',
    value: 'url|file',
    help: 'its payments as NDJSON (default: next to the report)',
  },
  claim: {
    type: 'string',
    value: 'url|file',
    help: "the merchant's signed claim (default: next to the report)",
  },
  ranking: { type: 'boolean', help: 'also compare the rank with the published ranking' },
  json: { type: 'boolean', help: 'print one JSON object instead of a table' },
} as const

/** Its exit codes. */
export const VERIFY_EXIT_CODES = {
  0: 'every recomputed figure is equal',
  1: 'something differs',
  65: 'a document is invalid',
  69: 'not checked: node or publisher cannot be reached',
} as const

const DIFFERENT = 1

/** Runs a part of the command and shows its progress. */
export type RunPhase = <T>(
  name: string,
  run: (progress: { readonly at: (done: number, total: number, unit: string) => void }) => Promise<T>,
) => Promise<T>

export type VerifyCall = {
  /** URL or file of the report, or URL of an overview. */
  readonly report: string
  /** As parsed by `VERIFY_OPTIONS`. */
  readonly values: Readonly<Record<string, unknown>>
  readonly rpc: Rpc
  readonly source: DocumentSource
  readonly now: Date
  readonly phase: RunPhase
  readonly writeOutput: (text: string) => void
  readonly writeError: (text: string) => void
}

/** Verifies a report or an overview and writes the result. Returns the exit code. */
export async function runVerify(call: VerifyCall, signal: AbortSignal): Promise<number> {
  const { report, values, writeOutput, writeError } = call
  try {
    const isField = isOverview(report)
    const verified = isField ? await verifyOverviewAt(call, signal) : await verifyAt(call, signal)
    const json = () => `${JSON.stringify(toVerificationDocument(verified), null, 2)}\n`
    writeOutput(values.json === true ? json() : renderVerification(verified, isField ? 'overview' : 'report'))
    return verified.isEqual ? 0 : DIFFERENT
  } catch (error) {
    const failure = explainFailure(error)
    if (!failure) throw error
    if (values.json === true)
      writeOutput(`${JSON.stringify({ verdict: 'could_not_check', reason: failure.reason })}\n`)
    writeError(`tollbook verify: ${failure.reason}\n`)
    return failure.exitCode
  }
}

async function verifyAt(call: VerifyCall, signal: AbortSignal): Promise<Verified> {
  const { report, values, rpc, source, now, phase } = call
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined)
  const locations = {
    report,
    inputs: text('inputs'),
    evidence: text('evidence'),
    claim: text('claim'),
    withRanking: values.ranking === true,
  }
  const published = await phase('documents', () => loadPublished(locations, source, signal))
  const verification = await phase('chain', ({ at }) =>
    verifyReport({ ...published, rpc, now, onProgress: at }, signal),
  )
  return { ...published, ...verification, notes: [...published.notes, ...verification.notes] }
}

function verifyOverviewAt(call: VerifyCall, signal: AbortSignal): Promise<Verification> {
  const { report: url, rpc, source, now, phase } = call
  return phase('reports', ({ at }) => verifyOverview({ url, source, rpc, now, onProgress: at }, signal))
}
