import type { Address } from '@tollbook/chain/hex'
import { buildOperations } from '@tollbook/http/operations/operations'
import { ProblemError } from '@tollbook/http/problem'
import { cutOnFailure } from '@tollbook/http/reply/cut-on-failure'
import { toStarted } from '@tollbook/http/reply/document'
import { renderProblem, toProblem } from '@tollbook/http/reply/problem-document'
import { toResponse } from '@tollbook/http/reply/reply'
import type { NodeConnection } from '@tollbook/http/request/node-connection'
import { Hono } from 'hono'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import * as z from 'zod'
import type { Evidence, EvidenceQuery } from '../evidence/evidence.ts'
import { toEndLine, toEvidenceLine } from '../evidence/evidence-lines.ts'
import { createPublicationCheck, registerPublicationGauges } from '../served/publication-health.ts'
import type { State } from '../state/state.ts'
import { toEvidenceProblem } from './evidence-query.ts'

export type EvidenceAppOptions = {
  readonly evidence: Evidence
  readonly state: State
  readonly logger: Logger
}

/** Text buffered before it is sent. */
const PIECE_CHARACTERS = 32_768

const querySchema = z.object({
  merchant: z.string().regex(/^0x[0-9a-f]{40}$/),
  window: z.object({ startBlock: z.int(), endBlock: z.int(), start: z.int(), end: z.int() }),
})

/** Serves the payments behind reports to this machine, from the process that owns the ledger. */
export function createEvidenceApp(options: EvidenceAppOptions): Hono<{ Bindings: Partial<NodeConnection> }> {
  const { evidence, state, logger } = options
  const app = new Hono<{ Bindings: Partial<NodeConnection> }>()
  const registry = new Registry()
  registerPublicationGauges(registry, state)
  for (const [path, page] of Object.entries(buildOperations(registry, [createPublicationCheck(state)]))) {
    app.get(path, ({ req }) => page({ headers: req.raw.headers, clientAddress: '' }))
  }
  app.get('/evidence', async ({ req, env }) => {
    const lines = await toStarted(writeLines(evidence, parseQuery(req.query('query')), req.raw.signal))
    return new Response(env?.outgoing ? cutOnFailure(lines, env.outgoing, logger) : lines, {
      headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
    })
  })
  app.onError((error, { req }) => {
    const problem = toProblem(toEvidenceProblem(error))
    if (problem.code === 'internal') logger.error({ err: error }, 'unhandled error in request')
    return toResponse(renderProblem(problem, { baseUrl: new URL(req.url).origin }))
  })
  return app
}

function parseQuery(text: string | undefined): EvidenceQuery {
  try {
    const query = querySchema.parse(JSON.parse(text ?? ''))
    return { ...query, merchant: query.merchant as Address }
  } catch (error) {
    throw new ProblemError({ code: 'invalid_request', detail: 'The query is not valid.' }, { cause: error })
  }
}

async function* writeLines(evidence: Evidence, query: EvidenceQuery, signal: AbortSignal) {
  const encoder = new TextEncoder()
  let piece = ''
  let rows = 0
  for await (const row of evidence.payments(query, signal)) {
    piece += toEvidenceLine(row)
    rows++
    if (piece.length < PIECE_CHARACTERS) continue
    yield encoder.encode(piece)
    piece = ''
  }
  yield encoder.encode(piece + toEndLine(rows))
}
