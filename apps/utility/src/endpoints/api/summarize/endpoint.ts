import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import type { Issue } from '@tollbook/http/problem'
import { defineJob } from '@tollbook/workers/job'
import * as z from 'zod'
import { DOCUMENT_KINDS } from '../../../page/document-kind.ts'
import { workOnDocument } from '../../../page/documents/read-by-ocr.ts'
import { describePage, pageUrl, readPage, toSource } from '../../../page/read-page.ts'
import {
  describeSent,
  findSentIssues,
  readSent,
  SENT_LIMITS,
  sentFields,
  sentPageFields,
} from '../../../page/sent-document.ts'
import { workOnPage } from '../../../page/work-on-page.ts'
import type { UtilityPorts } from '../../../ports.ts'
import { describeSummary } from './describe-summary.ts'

const module = new URL('./summarize-page.ts', import.meta.url)
type Work = typeof import('./summarize-page.ts')
const pageJob = defineJob<Work['summarizePage']>({ module, name: 'summarizePage', deadlineMs: 12_000 })
const textJob = defineJob<Work['summarizeText']>({ module, name: 'summarizeText', deadlineMs: 8_000 })

/** The length of a novel; longer texts exceed the timeout of a call. */
const MAX_TEXT_LENGTH = 500_000

const input = z.object({
  url: pageUrl.optional().describe('Public URL of a page, PDF, feed or text; or `text`.'),
  text: z
    .string()
    .min(1)
    .max(MAX_TEXT_LENGTH)
    .optional()
    .describe('By POST; empty lines separate paragraphs.'),
  ...sentFields,
  title: z.string().max(500).optional().describe('Of `text`.'),
  lang: z
    .string()
    .regex(/^[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8})*$/)
    .optional()
    .describe('Of `text`, BCP 47.'),
  sentences: z.int().min(1).max(20).default(5).describe('Maximum of the summary.'),
  style: z.enum(['extractive', 'abstractive']).default('extractive').describe('abstractive: by a model.'),
})

const output = z.object({
  ...sentPageFields,
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

const NO_MODEL: Issue = {
  parameter: 'style',
  detail: 'cannot be abstractive: no model is configured (TOLLBOOK_EXTRACTION_TIER)',
  code: 'not_configured',
}
/** Sentences that a model reads. */
const MODEL_SOURCES = 60

export const summarize = defineEndpoint({
  id: 'summarize',
  method: 'GET',
  path: '/api/summarize',
  pricing: { kind: 'exact', priceUsd: '0.002' },
  summary: 'Extractive summary of a page or text',
  description:
    'The 1 to 20 most important sentences of a page or text, verbatim, ranked by centrality, similarity to the title, position, length and novelty. Deterministic; a model writes only if `style` is `abstractive`.',
  accepts: 'either',
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
  limits: { ...SENT_LIMITS, timeoutMs: 45_000 },
  findEmptiness: ({ summary_words }) => (summary_words > 0 ? null : { detail: 'There are no sentences.' }),
  check({ url, text, html, title, lang, style }, { extractionTier }: UtilityPorts, files) {
    const file = files.get('file')
    if (style === 'abstractive' && !extractionTier) return [NO_MODEL]
    if (url === undefined && text === undefined && html === undefined && !file)
      return [{ parameter: 'url', detail: 'is required without text, html or file' }]
    if (url === undefined && html === undefined && !file) return []
    const unfit = Object.entries({ text, title, lang }).filter(([, value]) => value !== undefined)
    return [
      ...findSentIssues({ html }, file),
      ...unfit.map(([parameter]) => ({
        parameter,
        detail: 'is allowed only with text, not with url, html or file',
      })),
    ]
  },
  async handle(call: Call<Input, UtilityPorts, Address>) {
    const { url, text = '', title = null, lang = null, sentences, style } = call.input
    const counts = { sentences, sources: style === 'abstractive' ? MODEL_SOURCES : 0 }
    const sent = readSent(call.input, call.files.get('file'))
    const page = sent || url === undefined ? null : await readPage(url, call, {}, DOCUMENT_KINDS)
    const whole = page ? toSource(page) : sent
    if (!whole) {
      const work = { text, title, lang, ...counts }
      const found = await call.ports.workers.run(textJob, work, call.signal)
      return json({
        ...describeSent({}, Buffer.byteLength(text)),
        ...(await describeSummary(found, 'text', call)),
      })
    }
    const { found } = await workOnDocument(whole, call, (source) =>
      workOnPage(pageJob, { source, ...counts }, call),
    )
    const description = page ? describePage(page) : describeSent(call.input, whole.body.byteLength)
    return json({ ...description, ...(await describeSummary(found, 'page', call)) })
  },
})
