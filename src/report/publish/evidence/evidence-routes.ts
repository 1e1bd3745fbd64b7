import * as z from 'zod'
import type { Endpoint } from '../../../catalogue/endpoint.ts'
import { utcTime } from '../../build/merchant-report.ts'
import { findReport, maxAgeOf } from '../merchant/requested-report.ts'
import { linkVersions } from '../merchant/version-links.ts'
import { defineRead, textOf } from '../serving/define-read.ts'
import { address, checkVersion, EXAMPLE_ADDRESS, version } from '../serving/parameters.ts'
import { CSV_TYPE } from './csv.ts'
import { toEvidenceProblem, toEvidenceQuery } from './evidence-query.ts'
import { type EvidenceFormat, writeEvidence } from './evidence-stream.ts'
import { verify } from './verify-route.ts'

const TYPES = { csv: CSV_TYPE, ndjson: 'application/x-ndjson; charset=utf-8' } as const

/** One line of the evidence. */
const payment = z
  .object({
    block: z.int(),
    log_index: z.int().min(0),
    time: utcTime,
    transaction: z.string(),
    buyer: z.string(),
    amount_usd: z.number().min(0).describe('Exact, up to six decimals.'),
    verdict: z.enum(['passes', 'flagged']),
    flag: z.string().nullable().describe('The kind of flag under which the payment counts.'),
    fee_usd: z
      .number()
      .optional()
      .describe('What routers, or an escrow, kept of what the buyer paid; absent without.'),
  })
  .meta({ contentMediaType: 'application/x-ndjson' })

/** Every payment of a window, streamed from the ledger or a stored file without buffering. */
export const EVIDENCE_ENDPOINTS: readonly Endpoint[] = [
  defineEvidence('csv', textOf('text/csv')),
  defineEvidence('ndjson', payment),
  verify,
]

function defineEvidence(format: EvidenceFormat, output: z.ZodType): Endpoint {
  return defineRead({
    id: `evidence-${format}`,
    path: `/merchants/base/{address}/payments.${format}`,
    summary: `Every payment of the window with its verdict and flag, as ${format.toUpperCase()}`,
    input: z.object({ address, ...version }),
    output,
    example: { address: EXAMPLE_ADDRESS },
    check: checkVersion,
    async answer({ input, ports }) {
      const stored = await findReport(input, ports)
      const query = toEvidenceQuery(stored)
      const day = new Date(stored.window_end).toISOString().slice(0, 10)
      const path = `/merchants/base/${input.address}/payments.${format}`
      return {
        kind: 'document',
        content: {
          // The bytes of a report change with its window and its figures, and payments do not change without
          // them.
          etag: `${stored.etag}-${format}`,
          open: (signal) => withProblems(writeEvidence(ports.evidence.payments(query, signal), format)),
        },
        contentType: TYPES[format],
        lastModified: new Date(stored.changed_at),
        maxAgeSeconds: maxAgeOf(stored, ports),
        headers: {
          'content-disposition': `attachment; filename="${stored.address}-${day}.${format}"`,
          ...(await linkVersions(path, ports, stored)),
        },
      }
    },
  })
}

async function* withProblems(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces
  } catch (error) {
    throw toEvidenceProblem(error)
  }
}
