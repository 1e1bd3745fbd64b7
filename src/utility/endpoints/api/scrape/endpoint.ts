import * as z from 'zod'
import { json } from '../../../../catalogue/answer.ts'
import { type Address, type Call, defineEndpoint } from '../../../../catalogue/endpoint.ts'
import { EXTRACTORS } from '../../../../engines/extract/extract-page.ts'
import { PAGE_TYPES } from '../../../../engines/extract/page-type.ts'
import type { Fault } from '../../../../http/problem.ts'
import { describePage, pageFields, pageUrl, readPage } from '../../../page/read-page.ts'
import type { UtilityPorts } from '../../../ports.ts'
import { readContent } from './read-content.ts'

const input = z.object({
  url: pageUrl,
  main_only: z.boolean().default(true).describe('Removes navigation, advertising and boilerplate.'),
  include_links: z.boolean().default(true).describe('Keeps link targets; false keeps only the link text.'),
  include_images: z.boolean().default(true).describe('Keeps images; false removes them.'),
  format: z
    .enum(['markdown', 'text', 'html'])
    .default('markdown')
    .describe('Format of the field `markdown`.'),
  max_chars: z
    .int()
    .min(100)
    .max(1_000_000)
    .default(100_000)
    .describe('Longer content is cut between blocks.'),
  render: z
    .enum(['auto', 'always', 'never'])
    .default('auto')
    .describe('Whether to run scripts first; `auto`: only if the page has hardly any content without.'),
})

const output = z.object({
  ...pageFields,
  title: z.string().nullable(),
  byline: z.string().nullable(),
  site_name: z.string().nullable(),
  lang: z.string().nullable(),
  published_at: z.iso.datetime().nullable(),
  modified_at: z.iso.datetime().nullable(),
  canonical_url: z.string().nullable().describe('URL that the page declares as its own.'),
  description: z.string().nullable(),
  image: z.string().nullable(),
  format: z.enum(['markdown', 'text', 'html']),
  markdown: z.string().describe('The content, in the requested format.'),
  word_count: z.int(),
  char_count: z.int(),
  truncated: z.boolean(),
  links: z
    .array(z.object({ text: z.string(), href: z.string() }))
    .describe('Links of the content, each once.'),
  extractor: z.enum(EXTRACTORS).describe('How the content was found.'),
  page_type: z.enum(PAGE_TYPES).describe('Page type, judged by the markup.'),
  rendered: z.boolean().describe('Whether this is the page after its scripts ran.'),
  ts: z.iso.datetime(),
})

type Input = z.output<typeof input>

const NO_BROWSER: Fault = {
  parameter: 'render',
  detail: 'cannot be always: no browser is configured (TOLLBOOK_BROWSER_WS); use auto or never',
  code: 'not_configured',
}

export const scrape = defineEndpoint({
  id: 'scrape',
  method: 'GET',
  path: '/api/scrape',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  summary: 'Page as clean Markdown',
  description:
    'The content of a public page as Markdown, text or HTML, without navigation, ads and boilerplate: keeps tables, code with language, lists, images and links; with title, author, date, language and page type.',
  input,
  output,
  example: {
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
      format: 'markdown',
      markdown: 'The moon is not alone: see [NOAA](https://noaa.gov/).\n',
      word_count: 7,
      char_count: 54,
      truncated: false,
      links: [{ text: 'NOAA', href: 'https://noaa.gov/' }],
      extractor: 'tollbook',
      page_type: 'article',
      rendered: false,
      ts: '2026-11-21T10:00:00.000Z',
    },
  },
  limits: { bodyBytes: 8192, timeoutMs: 45_000 },
  check({ render }, { browser }: UtilityPorts) {
    return render === 'always' && !browser ? [NO_BROWSER] : []
  },
  async handle(call: Call<Input, UtilityPorts, Address>) {
    const { main_only, include_links, include_images, format, max_chars, render } = call.input
    const options = {
      isMainOnly: main_only,
      includeLinks: include_links,
      includeImages: include_images,
      format,
      maxChars: max_chars,
    }
    const asCame = await readPage(call.input.url, call)
    const { page, found, isRendered } = await readContent(asCame, { render, options }, call)
    call.ports.scrapedPages?.offer(asCame)
    const { head, content } = found
    return json({
      ...describePage(page),
      title: head.title,
      byline: head.byline,
      site_name: head.siteName,
      lang: head.lang,
      published_at: head.publishedAt,
      modified_at: head.modifiedAt,
      canonical_url: head.canonicalUrl,
      description: head.description,
      image: head.image,
      format,
      markdown: content,
      word_count: found.words,
      char_count: content.length,
      truncated: found.isTruncated,
      links: [...found.links],
      extractor: found.extractor,
      page_type: found.pageType,
      rendered: isRendered,
      ts: call.now.toISOString(),
    })
  },
})
