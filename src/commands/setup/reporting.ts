import type { Place } from './addresses.ts'
import { openReports, type ReportsOptions } from './open-reports.ts'
import { serveReports } from './serve-reports.ts'

export type ReportingOptions = Omit<ReportsOptions, 'baseUrl'> & {
  readonly place: Place
  /** Called with the number of blocks that the first indexing has read, and of payments found in them. */
  readonly onProgress: (done: number, total: number, payments: number) => void
  /** Called when indexing or publishing cannot continue. */
  readonly onGone: (error: Error) => void
}

/** Indexes up to the head, publishes once, serves the reports, and continues indexing and publishing. */
export async function openReporting(options: ReportingOptions): Promise<{ close(): Promise<void> }> {
  const end = new AbortController()
  const reports = await openReports({ ...options, baseUrl: options.place.baseUrl }, end.signal)
  const { pipeline } = reports
  await reports.catchUp(options.onProgress, end.signal)
  await pipeline.publish(end.signal)
  const listening = await serveReports({ ...options, evidence: pipeline.evidence })
  const running = pipeline.run(end.signal).catch((error: Error) => {
    if (!end.signal.aborted) options.onGone(error)
  })
  return {
    async close() {
      await listening.close()
      end.abort(new Error('closing'))
      await running
      await pipeline.close()
    },
  }
}
