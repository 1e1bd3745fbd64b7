import * as z from 'zod'
import { json } from '../../../../catalogue/answer.ts'
import { type Address, type Call, defineEndpoint } from '../../../../catalogue/endpoint.ts'
import type { Fault } from '../../../../http/problem.ts'
import { defineJob } from '../../../../workers/job.ts'
import { DOCUMENT_KINDS } from '../../../page/documents/document-kind.ts'
import { workOnDocument } from '../../../page/documents/read-by-ocr.ts'
import { describePage, pageFields, pageUrl, readPage, toSource } from '../../../page/read-page.ts'
import { workOnPage } from '../../../page/work-on-page.ts'
import type { UtilityPorts } from '../../../ports.ts'
import { describeSummary } from './describe-summary.ts'

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
  url: pageUrl.optional().describe('Public URL of a page, PDF, feed or text; or `text`.'),
  text: z
    .string()
    .min(1)
    .max(MAX_TEXT_LENGTH)
    .optional()
    .describe('By POST; empty lines separate paragraphs.'),
  html: z.string().min(1).max(MAX_HTML_LENGTH).optional().describe('The page, by POST; `url` is its base.'),
  title: z.string().max(500).optional().describe('Of `text`; similar sentences weigh more.'),
  lang: z
    .string()
    .regex(/^[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8})*$/)
    .optional()
    .describe('Of `text`, BCP 47.'),
  sentences: z.int().min(1).max(20).default(5).describe('Maximum of the summary.'),
  style: z.enum(['extractive', 'abstractive']).default('extractive').describe('abstractive: by a model.'),
})

const output = z.object({
  ...pageFields,
  url: z.string().nullable().describe('Null for a text; so are other fields of a page.'),
  final_url: pageFields.final_url.nullable(),
  status: pageFields.status.nullable(),
  fetch_ms: pageFields.fetch_ms.nullable(),
  title: z.string().nullable(),
  summary: z.string().describe('Verbatim, in text order; by a model: [n] cites `sentences`, from 1.'),
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
  method: z.enum(['textrank-tfidf-position', 'model']),
  deterministic: z.boolean(),
  ts: z.iso.datetime(),
})

type Input = z.output<typeof input>

const NO_MODEL: Fault = {
  parameter: 'style',
  detail: 'cannot be abstractive: no model is configured (TOLLBOOK_EXTRACTION_TIER)',
  code: 'not_configured',
}
/** Sentences that a model reads. */
const MODEL_SOURCES = 60

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
    'The 1 to 20 most important sentences of a page or text, verbatim, ranked by centrality, similarity to the title, position, length and novelty. Deterministic; a model writes only if `style` is `abstractive`.',
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
  check({ url, text, html, title, lang, style }, { extractionTier }: UtilityPorts) {
    if (style === 'abstractive' && !extractionTier) return [NO_MODEL]
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
    const { url, text = '', html, title = null, lang = null, sentences, style } = call.input
    const counts = { sentences, sources: style === 'abstractive' ? MODEL_SOURCES : 0 }
    if (html !== undefined) {
      const body = Buffer.from(html)
      const source = { url: url ?? NOWHERE, contentType: 'text/html; charset=utf-8', body }
      const found = await workOnPage(pageJob, { source, ...counts }, call)
      return json({
        ...NO_PAGE,
        url: url ?? null,
        bytes: body.byteLength,
        ...(await describeSummary(found, 'page', call)),
      })
    }
    if (url === undefined) {
      const work = { text, title, lang, ...counts }
      const found = await call.ports.workers.run(textJob, work, call.signal)
      return json({
        ...NO_PAGE,
        bytes: Buffer.byteLength(text),
        ...(await describeSummary(found, 'text', call)),
      })
    }
    const page = await readPage(url, call, {}, DOCUMENT_KINDS)
    const { found } = await workOnDocument(toSource(page), call, (source) =>
      workOnPage(pageJob, { source, ...counts }, call),
    )
    return json({ ...describePage(page), ...(await describeSummary(found, 'page', call)) })
  },
})
