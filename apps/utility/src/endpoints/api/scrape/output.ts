import { EXTRACTORS } from '@tollbook/extract/extract-page'
import { PAGE_TYPES } from '@tollbook/extract/page-type'
import * as z from 'zod'
import { sentPageFields } from '../../../page/sent-document.ts'

export const scrapedPage = z.object({
  ...sentPageFields,
  title: z.string().nullable(),
  byline: z.string().nullable(),
  site_name: z.string().nullable(),
  lang: z.string().nullable(),
  published_at: z.iso.datetime().nullable(),
  modified_at: z.iso.datetime().nullable(),
  canonical_url: z.string().nullable(),
  description: z.string().nullable(),
  image: z.string().nullable(),
  format: z.enum(['markdown', 'text', 'html']),
  markdown: z.string().describe('The content, in `format`.'),
  text: z.string().optional(),
  html: z.string().optional(),
  raw_html: z.string().optional(),
  screenshot: z.string().optional().describe('PNG, base64.'),
  json: z.record(z.string(), z.unknown()).optional(),
  word_count: z.int(),
  char_count: z.int(),
  truncated: z.boolean(),
  dropped: z
    .object({
      words: z.int(),
      headings: z.int(),
      lists: z.int(),
      tables: z.int(),
      code: z.int(),
      images: z.int(),
      formulas: z.int(),
    })
    .nullable()
    .describe('Left out by `main_only`, or unreadable; null: nothing was.'),
  links: z.array(z.object({ text: z.string(), href: z.string() })),
  extractor: z.enum([...EXTRACTORS, 'document', 'ocr']),
  ocr: z
    .object({
      confidence: z.number(),
      uncertain: z.array(z.string()).readonly(),
      unread: z.int(),
    })
    .nullable()
    .describe('Of English text in images: confidence (0-1), words that may be wrong, places not read.'),
  page_type: z.enum(PAGE_TYPES).nullable().describe('Null for a document.'),
  rendered: z.boolean().describe('After its scripts ran.'),
  cached: z.boolean(),
  fetched_at: z.iso.datetime().nullable(),
  ts: z.iso.datetime(),
})

export type ScrapedPage = z.output<typeof scrapedPage>

/**
 * For each of several URLs the page or the problem. The schema of a page is not repeated, which would make the
 * documents too long for their readers.
 */
const results = z.object({
  results: z
    .array(z.looseObject({ url: z.string() }))
    .describe('For `urls`: each with `page`, as for one `url`, and `problem`; one is null.'),
  succeeded: z.int(),
  ts: z.iso.datetime(),
})

export const output = z.union([scrapedPage, results])

export const EXAMPLE = {
  input: { url: 'https://example.com/post' },
  output: {
    url: 'https://example.com/post',
    final_url: 'https://example.com/post',
    status: 200,
    redirects: [],
    fetch_ms: 182.4,
    bytes: 60211,
    title: 'Why tides differ',
    byline: 'A. Writer',
    site_name: 'Example',
    lang: 'en',
    published_at: '2026-05-02T08:00:00.000Z',
    modified_at: null,
    canonical_url: 'https://example.com/post',
    description: 'The moon is not alone.',
    image: 'https://example.com/t.png',
    format: 'markdown' as const,
    markdown: 'The moon is not alone: see [NOAA](https://noaa.gov/).\n',
    word_count: 7,
    char_count: 54,
    truncated: false,
    dropped: { words: 182, headings: 3, lists: 4, tables: 0, code: 0, images: 2, formulas: 0 },
    links: [{ text: 'NOAA', href: 'https://noaa.gov/' }],
    extractor: 'tollbook' as const,
    ocr: null,
    page_type: 'article' as const,
    rendered: false,
    cached: false,
    fetched_at: '2026-11-21T10:00:00.000Z',
    ts: '2026-11-21T10:00:00.000Z',
  },
}
