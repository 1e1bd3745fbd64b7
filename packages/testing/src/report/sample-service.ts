import type { Evidence, EvidenceQuery } from '@tollbook/report/evidence/evidence'
import type { ReportApp } from '@tollbook/report/service'
import { createReportApp, type ReportAppOptions } from '@tollbook/report/service'
import type { State } from '@tollbook/report/state/state'
import { pino } from 'pino'
import { BASE_URL, PUBLISHED_AT } from './publish-sample.ts'
import { EVIDENCE } from './sample-figures.ts'

/** The report service over a state, with three payments as the evidence of every merchant. */
export function sampleService(
  state: State,
  change: Partial<ReportAppOptions> = {},
): { readonly app: ReportApp; readonly asked: EvidenceQuery[] } {
  const asked: EvidenceQuery[] = []
  const evidence: Evidence = {
    async *payments(query) {
      asked.push(query)
      yield* EVIDENCE
    },
  }
  const logger = pino({ level: 'silent' })
  const app = createReportApp({
    state,
    evidence,
    baseUrl: BASE_URL,
    logger,
    publishSeconds: 5,
    freshMs: 0,
    now: () => PUBLISHED_AT,
    ...change,
  })
  return { app, asked }
}
