import { randomUUID } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { json } from '@tollbook/endpoints/answer'
import { type Address, type Availability, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import type { OpenTier } from '@tollbook/models/tiers/open-tiers'
import { pausedProblem } from '@tollbook/upstream/upstream-breaker'
import { defineJob } from '@tollbook/workers/job'
import type { WorkerPool } from '@tollbook/workers/pool'
import * as z from 'zod'
import { cite } from '../../../model/cite.ts'
import { writeCited } from '../../../model/write-cited.ts'
import type { UtilityPorts } from '../../../ports.ts'
import { whyNoAnswer } from '../../../search/answer/why-no-answer.ts'
import type { SearchHit } from '../../../search/search-backend.ts'
import { SEARCH_UPSTREAM } from '../../../search/upstream/ask-search.ts'

type QueryAnswer = {
  readonly text: string
  /** `synthesised`: written by the operator's model and checked; `extractive`: quoted. */
  readonly type: 'synthesised' | 'extractive'
  /** Numbers of the cited results, from 1, ascending. */
  readonly citations: readonly number[]
}

const job = defineJob<typeof import('../../../search/compose-answer.ts').composeAnswer>({
  module: new URL('../../../search/compose-answer.ts', import.meta.url),
  name: 'composeAnswer',
  deadlineMs: 5_000,
})
const TASK = 'Answer the question in one to four sentences.'
const MAX_SENTENCES = 4

const RANGE_DAYS = { day: 1, d: 1, week: 7, w: 7, month: 31, m: 31, year: 366, y: 366 } as const
const MAX_DOMAINS = 20

const domain = z
  .string()
  .max(253)
  .transform((text) => domainToASCII(text.trim().replace(/\.$/, '')))
  .refine((name) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(name), {
    message: 'must be a domain name, such as example.com',
  })

const input = z.object({
  query: z
    .string()
    .max(400)
    .regex(/[\p{L}\p{N}]/u, 'must contain a letter or digit'),
  max_results: z.int().min(1).max(10).default(5),
  topic: z.enum(['general', 'news']).default('general').describe('news: only news pages.'),
  days: z.int().min(1).max(3_650).optional().describe('Only pages of the last so many days.'),
  time_range: z
    .enum(['day', 'week', 'month', 'year', 'd', 'w', 'm', 'y'])
    .optional()
    .describe('The same as a range; not with `days`.'),
  include_domains: z.array(domain).max(MAX_DOMAINS).default([]).describe('Only these, with subdomains.'),
  exclude_domains: z.array(domain).max(MAX_DOMAINS).default([]).describe('None of these, with subdomains.'),
  include_answer: z.boolean().default(true),
})

const output = z.object({
  query: z.string(),
  answer: z.string().nullable().describe('Cites results by number.'),
  answer_note: z.string().nullable().describe('Why there is no answer.'),
  answer_type: z.enum(['extractive', 'synthesised']).nullable().describe('`synthesised`: by a model.'),
  citations: z.array(z.int()).describe('Results cited, from 1.'),
  results: z.array(
    z.object({
      title: z.string(),
      url: z.string(),
      content: z.string().describe('The passage of the page that is relevant to the query.'),
      score: z.number().describe('0 to 1, comparable within one answer.'),
      published_date: z.iso.datetime().nullable(),
      favicon: z.string().nullable(),
    }),
  ),
  response_time: z.number().describe('Seconds.'),
  provider: z
    .enum(['searxng', 'tavily', 'mediawiki', 'index'])
    .describe('`index`: pages stored by this service.'),
  request_id: z.string(),
  ts: z.iso.datetime(),
})

type Input = z.output<typeof input>

const NOT_CONFIGURED: Availability = {
  isAvailable: false,
  problem: {
    code: 'not_configured',
    detail:
      'No search source is configured: set a search upstream (TOLLBOOK_SEARXNG_URL or TOLLBOOK_SEARCH_URL) or import pages (tollbook import pages).',
  },
}

export const search = defineEndpoint({
  id: 'search',
  method: 'POST',
  effect: 'none',
  path: '/api/search',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  summary: 'Web search with a cited answer',
  description:
    'Results with title, URL, passage, score and date, and a cited answer. Filters: topic, age, domain. No results, no charge.',
  input,
  output,
  example: {
    input: { query: 'base l2 block time', max_results: 1 },
    output: {
      query: 'base l2 block time',
      answer: 'Base produces a block about every two seconds [1].',
      answer_note: null,
      answer_type: 'extractive',
      citations: [1],
      results: [
        {
          title: 'Base docs',
          url: 'https://docs.base.org/',
          content: 'Base produces a block about every two seconds.',
          score: 0.93,
          published_date: null,
          favicon: null,
        },
      ],
      response_time: 0.61,
      provider: 'searxng',
      request_id: 'req_1',
      ts: '2026-11-21T10:00:00.000Z',
    },
  },
  limits: { bodyBytes: 16_384, timeoutMs: 40_000 },
  check({ days, time_range }) {
    const isBoth = days !== undefined && time_range !== undefined
    return isBoth
      ? [{ parameter: 'time_range', detail: 'is mutually exclusive with days: send only one' }]
      : []
  },
  availability({ search }: UtilityPorts) {
    if (!search.isReady()) return NOT_CONFIGURED
    const seconds = search.pauseSeconds?.() ?? 0
    return seconds > 0
      ? { isAvailable: false, problem: pausedProblem(SEARCH_UPSTREAM, seconds) }
      : { isAvailable: true }
  },
  findEmptiness: ({ results }) => (results.length > 0 ? null : { detail: 'Nothing was found.' }),
  async handle(call: Call<Input, UtilityPorts, Address>) {
    const { query, time_range, include_answer } = call.input
    const startedMs = performance.now()
    const { provider, hits: found } = await call.ports.search.search(
      {
        text: query,
        maxResults: call.input.max_results,
        topic: call.input.topic,
        days: call.input.days ?? (time_range === undefined ? null : RANGE_DAYS[time_range]),
        includeDomains: call.input.include_domains,
        excludeDomains: call.input.exclude_domains,
        now: call.now,
      },
      call.signal,
    )
    const hits = withoutRepeats(found)
    const answer =
      include_answer && hits.length > 0 ? await answerQuery({ query, hits }, call.ports, call.signal) : null
    return json({
      query,
      answer: answer?.text ?? null,
      answer_note: answer || !include_answer ? null : whyNoAnswer(query),
      answer_type: answer?.type ?? null,
      citations: [...(answer?.citations ?? [])],
      results: hits.map(({ publishedDate, ...hit }) => ({ ...hit, published_date: publishedDate })),
      response_time: Math.round(performance.now() - startedMs) / 1000,
      provider,
      request_id: `req_${randomUUID()}`,
      ts: call.now.toISOString(),
    })
  },
})

/** A page is listed once, whichever of its sections were found. */
function withoutRepeats(hits: readonly SearchHit[]): readonly SearchHit[] {
  const pages = new Map<string, SearchHit>()
  for (const hit of hits) {
    const page = hit.url.split('#', 1)[0] as string
    if (!pages.has(page)) pages.set(page, hit)
  }
  return [...pages.values()]
}

/** Answers a query from its results: by the operator's model, else by quoting; null if neither is possible. */
async function answerQuery(
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
