import type { Address } from '../../../chain/hex.ts'
import { RetryableError } from '../../../fetching/failure.ts'
import { ProblemError } from '../../../http/problem.ts'
import { cutOnFailure } from '../../../http/reply/cut-on-failure.ts'
import { PaymentsDropped } from '../../ledger/payments-dropped.ts'
import type { StoredReport } from '../editions/stored-reports.ts'
import { ADDRESS_PATTERN, findReport, maxAgeOf } from '../merchant/requested-report.ts'
import { linkVersions } from '../merchant/version-links.ts'
import type { ReportContext, ReportPorts, ReportRoute } from '../serving/route.ts'
import { acceptsGzip, isFresh } from '../serving/serve-document.ts'
import { CSV_TYPE } from './csv.ts'
import type { EvidenceQuery } from './evidence.ts'
import { type EvidenceFormat, writeEvidence } from './evidence-stream.ts'

const WEEK_SECONDS = 604_800
const TYPES = { csv: CSV_TYPE, ndjson: 'application/x-ndjson; charset=utf-8' } as const

/** Every payment of a window, streamed from the ledger or a stored file without buffering. */
export const EVIDENCE_ROUTES: readonly ReportRoute[] = (['csv', 'ndjson'] as const).map((format) => ({
  name: `evidence-${format}`,
  path: `/merchants/base/:file{${ADDRESS_PATTERN}}/payments.${format}`,
  answer: (context, ports) => answerEvidence(context, ports, format),
}))

async function answerEvidence(
  context: ReportContext,
  ports: ReportPorts,
  format: EvidenceFormat,
): Promise<Response> {
  const stored = await findReport(context, ports)
  const query = toQuery(stored)
  const isPacked = acceptsGzip(context.req.header('accept-encoding'))
  const day = new Date(stored.window_end).toISOString().slice(0, 10)
  const lastModified = new Date(stored.changed_at)
  // The bytes of a report change with its window and its figures, and payments do not change without them.
  const etag = `${stored.etag}-${format}`
  const headers = new Headers({
    'content-type': TYPES[format],
    'content-disposition': `attachment; filename="${stored.address}-${day}.${format}"`,
    'cache-control': `public, max-age=${maxAgeOf(stored, ports)}`,
    // Weak, because the validator is not derived from the response bytes.
    etag: `W/"${etag}"`,
    'last-modified': lastModified.toUTCString(),
    vary: 'Accept-Encoding',
    ...(isPacked && { 'content-encoding': 'gzip' }),
    ...(await linkVersions(context, ports, stored)),
  })
  if (isFresh(context, etag, lastModified)) return new Response(null, { status: 304, headers })
  if (context.req.method === 'HEAD') return new Response(null, { headers })
  const rows = ports.evidence.payments(query, context.req.raw.signal)
  const pieces = writeEvidence(rows, format)
  // The first piece is awaited, so that an unreachable ledger results in a problem and not in a truncated
  // file.
  const first = await pieces.next().catch((error: unknown) => refuseEvidence(error))
  const stream = ReadableStream.from(join(first, pieces))
  const live = isPacked ? stream.pipeThrough(new CompressionStream('gzip')) : stream
  const { outgoing } = context.env ?? {}
  return new Response(outgoing ? cutOnFailure(live, outgoing, ports.logger) : live, { headers })
}

async function* join(first: IteratorResult<Uint8Array>, rest: AsyncGenerator<Uint8Array>) {
  if (!first.done) yield first.value
  yield* rest
}

function refuseEvidence(error: unknown): never {
  if (error instanceof PaymentsDropped) {
    const detail =
      'The payments behind this report are no longer stored. The report itself is still available.'
    throw new ProblemError({ code: 'no_longer_kept', detail }, { cause: error })
  }
  if (!(error instanceof RetryableError)) throw error
  const detail = 'The payments are temporarily unavailable. The report itself is available.'
  throw new ProblemError({ code: 'unavailable', detail, retryAfterSeconds: 10 }, { cause: error })
}

function toQuery(stored: StoredReport): EvidenceQuery {
  const end = stored.window_end / 1000
  const { evidence_file: file, evidence_at: at, evidence_bytes: bytes } = stored
  const isKept = file !== null && at !== null && bytes !== null
  return {
    ...(isKept && { kept: { file, at, bytes } }),
    merchant: stored.address as Address,
    window: { startBlock: stored.start_block, endBlock: stored.end_block, start: end - WEEK_SECONDS, end },
  }
}
