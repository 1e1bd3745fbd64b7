import type { Address } from '@tollbook/chain/hex'
import { RetryableError } from '@tollbook/flow/failure'
import { ProblemError } from '@tollbook/http/problem'
import { daysOfEdition } from '@tollbook/verify/published/edition-name'
import type { StoredReport } from '../editions/stored-reports.ts'
import type { EvidenceQuery } from '../evidence/evidence.ts'
import { PaymentsDropped } from '../ledger/coverage/coverage.ts'

const DAY_SECONDS = 86_400

/** The problem of evidence that cannot be read; any other error unchanged. */
export function toEvidenceProblem(error: unknown): unknown {
  if (error instanceof PaymentsDropped) {
    const detail =
      'The payments behind this report are no longer stored. The report itself is still available.'
    return new ProblemError({ code: 'no_longer_kept', detail }, { cause: error })
  }
  if (!(error instanceof RetryableError)) return error
  const detail = 'The payments are temporarily unavailable. The report itself is available.'
  return new ProblemError({ code: 'unavailable', detail, retryAfterSeconds: 10 }, { cause: error })
}

export function toEvidenceQuery(stored: StoredReport): EvidenceQuery {
  const end = stored.window_end / 1000
  const start = end - daysOfEdition(stored.edition) * DAY_SECONDS
  const { evidence_file: file, evidence_at: at, evidence_bytes: bytes } = stored
  const isKept = file !== null && at !== null && bytes !== null
  return {
    ...(isKept && { kept: { file, at, bytes } }),
    merchant: stored.address as Address,
    window: { startBlock: stored.start_block, endBlock: stored.end_block, start, end },
  }
}
