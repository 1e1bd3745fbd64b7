import type { OpenTier } from '../../models/tiers/open-tiers.ts'
import { defineJob } from '../../workers/job.ts'
import type { WorkerPool } from '../../workers/pool.ts'
import { cite } from '../model/cite.ts'
import { writeCited } from '../model/write-cited.ts'
import type { SearchHit } from './search-backend.ts'

export type QueryAnswer = {
  readonly text: string
  /** `synthesised`: written by the operator's model and checked; `extractive`: quoted. */
  readonly type: 'synthesised' | 'extractive'
  /** Numbers of the cited results, from 1, ascending. */
  readonly citations: readonly number[]
}

const job = defineJob<typeof import('./compose-answer.ts').composeAnswer>({
  module: new URL('./compose-answer.ts', import.meta.url),
  name: 'composeAnswer',
  deadlineMs: 5_000,
})

const TASK = 'Answer the question in one to four sentences.'
const MAX_SENTENCES = 4

/** Answers a query from its results: by the operator's model, else by quoting; null if neither is possible. */
export async function answerQuery(
  found: { readonly query: string; readonly hits: readonly SearchHit[] },
  ports: { readonly extractionTier: OpenTier | null; readonly workers: WorkerPool },
  signal: AbortSignal,
): Promise<QueryAnswer | null> {
  const { query, hits } = found
  const sources = hits.map(({ title, content }) => `${title}\n${content}`)
  const written = await writeCited({ task: TASK, query, sources, maxSentences: MAX_SENTENCES }, ports, signal)
  if (written.length > 0) {
    const citations = new Set(written.flatMap((sentence) => sentence.citations))
    return {
      text: written.map((sentence) => cite(sentence.text, sentence.citations)).join(' '),
      type: 'synthesised',
      citations: [...citations].sort((one, other) => one - other),
    }
  }
  const quoted = await ports.workers.run(job, found, signal)
  return quoted && { ...quoted, type: 'extractive' }
}
