import type { State } from '@tollbook/cli/commands/state/state'
import { type Listening, listen } from '@tollbook/http/server/serve'
import { HOSTILE_TEXT, PUBLISHED_AT, publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, QUIET, sampleFigures } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import { pino } from 'pino'

/** The published week of the site, next to its newest window. */
export const WEEK = '2026-11-15'

/** What a claim with hostile text leaves in the state. */
const HOSTILE_CLAIM = {
  address: BUSY.address,
  version: 1,
  action: 'claim',
  message: '',
  signature: '0x',
  statement: HOSTILE_TEXT,
  disclosures: JSON.stringify([QUIET.address]),
  made_at: PUBLISHED_AT.getTime(),
} as const

export type ReportSite = {
  readonly url: string
  close(): Promise<void>
}

/** Serves two merchants, one of them with hostile listings, in the newest window and in a published week. */
export async function openReportSite(): Promise<ReportSite> {
  return openSite(async (url, state) => {
    await publishSample(state)
    await state.db.insertInto('claim').values(HOSTILE_CLAIM).execute()
    // Once more, with links that lead to this very server.
    await publishSample(state, sampleFigures(), new Date(), url)
    const week = sampleFigures({ edition: WEEK, merchants: [BUSY] })
    await publishSample(state, week, new Date(), url)
  })
}

/** Serves a site on which nothing has been published. */
export function openEmptySite(): Promise<ReportSite> {
  return openSite(async () => {})
}

async function openSite(publish: (url: string, state: State) => Promise<void>): Promise<ReportSite> {
  const state = await openTestState()
  const { app } = sampleService(state)
  const service: Listening = await listen({
    app,
    host: '127.0.0.1',
    port: 0,
    logger: pino({ level: 'silent' }),
  })
  await publish(service.url, state)
  return {
    url: service.url,
    async close() {
      await service.close()
      await state.close()
    },
  }
}
