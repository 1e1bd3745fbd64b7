import { toUsdNumber } from '@tollbook/chain/usdc'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { toUtcDate } from '@tollbook/verify/build/compose-report'
import { daysOfEdition } from '@tollbook/verify/published/edition-name'
import { evidenceUrl, inputsUrl, reportUrl } from '@tollbook/verify/published/links'
import { sumFields } from '@tollbook/verify/published/overview'
import * as z from 'zod'
import { parseStoredInputs } from '../editions/stored-inputs.ts'
import { CSV_TYPE } from '../evidence/csv.ts'
import { type EvidenceFormat, evidenceLineShape, writeEvidence } from '../evidence/evidence-stream.ts'
import { addPayment } from '../evidence/pack-evidence.ts'
import { toEvidenceProblem, toEvidenceQuery } from './evidence-query.ts'
import { defineRead, textOf, toJsonDocument } from './reads/define-read.ts'
import { address, checkVersion, EXAMPLE_ADDRESS, version } from './reads/parameters.ts'
import { findReport, freshnessOf, parseReport } from './reads/requested-report.ts'
import { linkVersions } from './reads/version-links.ts'

const TYPES = { csv: CSV_TYPE, ndjson: 'application/x-ndjson; charset=utf-8' } as const

const figures = z.object(sumFields)

/** Adds up the payments behind a report. */
const verify = defineRead({
  id: 'verify',
  path: '/merchants/base/{address}/verify.json',
  summary: 'The payments behind a report added up, compared with its figures',
  input: z.object({ address, ...version }),
  output: z.object({
    is_equal: z.boolean().describe('Whether the stored payments add up to the published figures.'),
    published: figures,
    added_up: figures,
    report: z.string(),
    payments: z.string(),
    inputs: z.string(),
    recompute: z
      .string()
      .describe('Recomputes every figure from a node of your choice, without trust in us.'),
  }),
  example: { address: EXAMPLE_ADDRESS },
  check: checkVersion,
  async answer({ input, ports, signal }) {
    const { baseUrl, publicRpcUrl, evidence } = ports
    const stored = await findReport(input, ports)
    const { tx, usd, real_tx, real_usd } = parseReport(stored)
    const { floor = '0' } = stored.inputs === null ? {} : parseStoredInputs(stored.inputs)
    const sums = { tx: 0, amount: 0n, realTx: 0, realAmount: 0n }
    try {
      for await (const payment of evidence.payments(toEvidenceQuery(stored), signal))
        addPayment(sums, payment, BigInt(floor))
    } catch (error) {
      throw toEvidenceProblem(error)
    }
    const published = { tx, usd, real_tx, real_usd }
    const addedUp = {
      tx: sums.tx,
      usd: toUsdNumber(sums.amount),
      real_tx: sums.realTx,
      real_usd: toUsdNumber(sums.realAmount),
    }
    const { edition: week, revision } = stored
    const shown = revision === 0 ? { days: daysOfEdition(week) } : { week, revision }
    const report = reportUrl(baseUrl, stored.address, shown)
    const body = {
      is_equal: JSON.stringify(published) === JSON.stringify(addedUp),
      published,
      added_up: addedUp,
      report,
      payments: evidenceUrl(baseUrl, stored.address, shown),
      inputs: inputsUrl(baseUrl, stored.address, shown),
      recompute: `npx node src/main.ts verify "${report}" --rpc ${publicRpcUrl}`,
    }
    return toJsonDocument(body, freshnessOf(stored, ports))
  },
})

/** Every payment of a window, streamed from the ledger or a stored file without buffering. */
export const EVIDENCE_ENDPOINTS: readonly Endpoint[] = [
  defineEvidence('csv', textOf('text/csv')),
  defineEvidence('ndjson', evidenceLineShape),
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
      const day = toUtcDate(stored.window_end / 1000)
      const path = `/merchants/base/${input.address}/payments.${format}`
      return {
        kind: 'document',
        content: {
          // The bytes of a report change with its window and its figures, and payments do not change without them.
          etag: `${stored.etag}-${format}`,
          open: (signal) => withProblems(writeEvidence(ports.evidence.payments(query, signal), format)),
        },
        contentType: TYPES[format],
        ...freshnessOf(stored, ports),
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
