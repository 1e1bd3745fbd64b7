import * as z from 'zod'
import { json } from '../../../../catalogue/answer.ts'
import { type Address, type Call, defineEndpoint } from '../../../../catalogue/endpoint.ts'
import { countWords } from '../../../../engines/extract/words.ts'
import { ProblemError } from '../../../../http/problem.ts'
import { defineJob } from '../../../../workers/job.ts'
import { DOCUMENT_KINDS } from '../../../page/documents/document-kind.ts'
import { workOnDocument } from '../../../page/documents/read-by-ocr.ts'
import { describePage, pageFields, pageUrl, readPage, toSource } from '../../../page/read-page.ts'
import { workOnPage } from '../../../page/work-on-page.ts'
import type { UtilityPorts } from '../../../ports.ts'
import type { PageSummary } from './summarize-page.ts'

const module = new URL('./summarize-page.ts', import.meta.url)
type Work = typeof import('./summarize-page.ts')
const pageJob = defineJob<Work['summarizePage']>({ module, name: 'summarizePage', deadlineMs: 12_000 })
const textJob = defineJob<Work['summarizeText']>({ module, name: 'summarizeText', deadlineMs: 8_000 })

/** The length of a novel; longer texts exceed the timeout of a call. */
const MAX_TEXT_LENGTH = 500_000

/** Pages of this size are parsed within a second; larger ones must be sent by URL. */
const MAX_HTML_LENGTH = 1_000_000
/** Base of a page sent without `url`: a name that never resolves (RFC 6761, section 6.4). */
const NOWHERE = 'https://page.invalid/'

const input = z.object({
  url: pageUrl.optional().describe('Public http(s) URL of a page, PDF, feed or text; either this or `text`.'),
  text: z
    .string()
    .min(1)
    .max(MAX_TEXT_LENGTH)
    .optional()
    .describe('Plain text, by POST; empty lines separate paragraphs.'),
  html: z
    .string()
    .min(1)
    .max(MAX_HTML_LENGTH)
    .optional()
    .describe('The page itself, by POST; `url` is then its base.'),
  title: z.string().max(500).optional().describe('Of `text`; sentences similar to it weigh more.'),
  lang: z
    .string()
    .regex(/^[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8})*$/)
    .optional()
    .describe('Of `text`, BCP 47.'),
  sentences: z.int().min(1).max(20).default(5).describe('Maximum of the summary.'),
})

const output = z.object({
  ...pageFields,
  url: z.string().nullable().describe('Null for a text; so are other fields of a page.'),
  final_url: pageFields.final_url.nullable(),
  status: pageFields.status.nullable(),
  fetch_ms: pageFields.fetch_ms.nullable(),
  title: z.string().nullable(),
  summary: z.string().describe('Verbatim, in text order.'),
  sentences: z.array(
    z.object({
      index: z.int().describe('Among all sentences, from 0.'),
      text: z.string(),
      score: z.number().describe('0 to 1.'),
    }),
  ),
  sentence_count: z.int(),
  word_count: z.int(),
  summary_words: z.int(),
  compression: z.number().describe('Share of the words.'),
  lang: z.string().nullable(),
  method: z.literal('textrank-tfidf-position'),
  deterministic: z.literal(true).describe('The same text has the same summary.'),
  ts: z.iso.datetime(),
})

type Input = z.output<typeof input>

const NO_PAGE = {
  url: null,
  final_url: null,
  status: null,
  redirects: [],
  fetch_ms: null,
}

export const summarize = defineEndpoint({
  id: 'summarize',
  method: 'GET',
  path: '/api/summarize',
  pricing: { kind: 'exact', priceUsd: '0.002' },
  summary: 'Extractive summary of a page or text',
  description:
    'An extractive summary of a page or text: its 1 to 20 most important sentences, verbatim, ranked by centrality, similarity to the title, position, length and novelty. No model writes anything; the same text has the same summary.',
  input,
  output,
  example: {
    input: { url: 'https://example.com/post', sentences: 1 },
    output: {
      url: 'https://example.com/post',
      final_url: 'https://example.com/post',
      status: 200,
      redirects: [],
      fetch_ms: 182.4,
      bytes: 60211,
      title: 'Why tides differ',
      summary: 'Tides differ from port to port because the sea resonates in its basins.',
      sentences: [
        {
          index: 2,
          text: 'Tides differ from port to port because the sea resonates in its basins.',
          score: 0.8214,
        },
      ],
      sentence_count: 31,
      word_count: 812,
      summary_words: 13,
      compression: 0.016,
      lang: 'en',
      method: 'textrank-tfidf-position',
      deterministic: true,
      ts: '2026-11-21T10:00:00.000Z',
    },
  },
  limits: { bodyBytes: 4_200_000, timeoutMs: 45_000 },
  check({ url, text, html, title, lang }) {
    if (url === undefined && text === undefined && html === undefined)
      return [{ parameter: 'url', detail: 'is required without text or html' }]
    if (url === undefined && html === undefined) return []
    const unfit = Object.entries({ text, title, lang }).filter(([, value]) => value !== undefined)
    return unfit.map(([parameter]) => ({
      parameter,
      detail: 'is allowed only with text, not with url or html',
    }))
  },
  async handle(call: Call<Input, UtilityPorts, Address>) {
    const { url, text = '', html, title = null, lang = null, sentences } = call.input
    if (html !== undefined) {
      const body = Buffer.from(html)
      const source = { url: url ?? NOWHERE, contentType: 'text/html; charset=utf-8', body }
      const found = await workOnPage(pageJob, { source, sentences, sources: 0 }, call)
      return json({
        ...NO_PAGE,
        url: url ?? null,
        bytes: body.byteLength,
        ...describe(found, 'page', call.now),
      })
    }
    if (url === undefined) {
      const work = { text, title, lang, sentences, sources: 0 }
      const found = await call.ports.workers.run(textJob, work, call.signal)
      return json({ ...NO_PAGE, bytes: Buffer.byteLength(text), ...describe(found, 'text', call.now) })
    }
    const page = await readPage(url, call, {}, DOCUMENT_KINDS)
    const { found } = await workOnDocument(toSource(page), call, (source) =>
      workOnPage(pageJob, { source, sentences, sources: 0 }, call),
    )
    return json({ ...describePage(page), ...describe(found, 'page', call.now) })
  },
})

/** @throws ProblemError if there are no sentences to select; an empty summary is not sold. */
function describe(found: PageSummary, what: 'page' | 'text', now: Date) {
  const { title, lang, chosen, sentenceCount, wordCount } = found
  if (chosen.length === 0)
    throw new ProblemError({ code: 'cannot_be_served', detail: `The ${what} has no sentences.` })
  const summary = joinSentences(chosen.map(({ text }) => text))
  const words = countWords(summary)
  return {
    title,
    summary,
    sentences: [...chosen],
    sentence_count: sentenceCount,
    word_count: wordCount,
    summary_words: words,
    compression: wordCount === 0 ? 0 : Math.round((words / wordCount) * 1e4) / 1e4,
    lang,
    method: 'textrank-tfidf-position' as const,
    deterministic: true as const,
    ts: now.toISOString(),
  }
}

/** Separates sentences that end without punctuation. */
function joinSentences(sentences: readonly string[]): string {
  return sentences
    .map((text, at) => (at === sentences.length - 1 || /\p{P}$/u.test(text) ? text : `${text}.`))
    .join(' ')
}
