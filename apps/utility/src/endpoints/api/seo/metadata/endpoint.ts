import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import type { HeadInventory, LinkTag } from '@tollbook/extract/head/head-inventory'
import { defineJob } from '@tollbook/workers/job'
import * as z from 'zod'
import { describePage, pageFields, pageUrl, readPage, toSource } from '../../../../page/read-page.ts'
import { workOnPage } from '../../../../page/work-on-page.ts'
import type { UtilityPorts } from '../../../../ports.ts'

const job = defineJob<typeof import('./read-metadata.ts').readMetadata>({
  module: new URL('./read-metadata.ts', import.meta.url),
  name: 'readMetadata',
  deadlineMs: 5_000,
})

const input = z.object({ url: pageUrl })

const tags = z.array(z.object({ key: z.string(), content: z.string() }))
const output = z.object({
  ...pageFields,
  title: z.string().nullable(),
  charset: z.string().nullable().describe('The encoding used to decode the page.'),
  lang: z.string().nullable(),
  canonical: z.string().nullable().describe('From the page, else from the Link header.'),
  description: z.string().nullable(),
  robots: z.string().nullable(),
  meta: z
    .object({
      open_graph: tags,
      twitter: tags,
      dublin_core: tags,
      named: tags,
      http_equiv: tags,
      itemprop: tags,
      other: tags,
    })
    .describe('In document order, including duplicates.'),
  links: z.array(
    z.object({
      rel: z.string(),
      href: z.string(),
      type: z.string().nullable(),
      sizes: z.string().nullable(),
      hreflang: z.string().nullable(),
      title: z.string().nullable(),
    }),
  ),
  json_ld: z.array(
    z.object({
      valid: z.boolean(),
      types: z.array(z.string()),
      data: z.unknown().optional(),
      error: z.string().optional(),
      raw: z.string().optional(),
    }),
  ),
  http_headers: z.object({
    link: z.string().nullable(),
    x_robots_tag: z.string().nullable(),
    content_language: z.string().nullable(),
  }),
  counts: z.object({ meta: z.int(), links: z.int(), json_ld: z.int() }),
  ts: z.iso.datetime(),
})

type Input = z.output<typeof input>

export const metadata = defineEndpoint({
  id: 'seo-metadata',
  method: 'GET',
  path: '/api/seo/metadata',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  summary: 'Head inventory of a page',
  description:
    'Title, charset, language, canonical URL, all meta tags by family (Open Graph, Twitter, Dublin Core, named, http-equiv, itemprop), link relations and JSON-LD of a page, in document order, broken JSON-LD reported.',
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
      bytes: 512,
      title: 'Why tides differ',
      charset: 'utf-8',
      lang: 'en',
      canonical: 'https://example.com/post',
      description: 'The moon is not alone.',
      robots: null,
      meta: {
        open_graph: [{ key: 'og:title', content: 'Why tides differ' }],
        twitter: [],
        dublin_core: [],
        named: [{ key: 'description', content: 'The moon is not alone.' }],
        http_equiv: [],
        itemprop: [],
        other: [],
      },
      links: [
        {
          rel: 'canonical',
          href: 'https://example.com/post',
          type: null,
          sizes: null,
          hreflang: null,
          title: null,
        },
      ],
      json_ld: [
        { valid: true, types: ['Article'], data: { '@context': 'https://schema.org', '@type': 'Article' } },
      ],
      http_headers: { link: null, x_robots_tag: null, content_language: null },
      counts: { meta: 2, links: 1, json_ld: 1 },
      ts: '2026-11-21T10:00:00.000Z',
    },
  },
  limits: { bodyBytes: 8192, timeoutMs: 25_000 },
  findEmptiness: ({ title, counts: { meta, links, json_ld } }) =>
    title !== null || meta + links + json_ld > 0 ? null : { detail: 'The page has no metadata.' },
  async handle(call: Call<Input, UtilityPorts, Address>) {
    const page = await readPage(call.input.url, call)
    const { title, encoding, lang, meta, links, jsonLd } = await workOnPage(job, toSource(page), call)
    const { headers } = page
    const all = Object.values(meta).flat()
    return json({
      ...describePage(page),
      title,
      charset: encoding,
      lang,
      canonical: findCanonical(links, headers.link ?? '', page.finalUrl),
      description: findNamed(meta, 'description'),
      robots: findNamed(meta, 'robots'),
      meta: {
        open_graph: [...meta.open_graph],
        twitter: [...meta.twitter],
        dublin_core: [...meta.dublin_core],
        named: [...meta.named],
        http_equiv: [...meta.http_equiv],
        itemprop: [...meta.itemprop],
        other: [...meta.other],
      },
      links: [...links],
      json_ld: jsonLd.map((block) => ({ ...block, types: [...block.types] })),
      http_headers: {
        link: headers.link ?? null,
        x_robots_tag: headers['x-robots-tag'] ?? null,
        content_language: headers['content-language'] ?? null,
      },
      counts: { meta: all.length, links: links.length, json_ld: jsonLd.length },
      ts: call.now.toISOString(),
    })
  },
})

function findNamed(meta: HeadInventory['meta'], name: string): string | null {
  return meta.named.find(({ key }) => key.toLowerCase() === name)?.content ?? null
}

/** The page's own declaration precedes the header's (RFC 6596, RFC 8288). */
function findCanonical(links: readonly LinkTag[], header: string, url: string): string | null {
  const own = links.find(({ rel }) => rel === 'canonical')?.href
  const target = findHeaderCanonical(header)
  return own ?? (target === undefined ? null : (URL.parse(target, url)?.href ?? null))
}

/** Each link is read once: a header has up to 32 kB, and may consist of nothing but brackets. */
function findHeaderCanonical(header: string): string | undefined {
  const links = header.matchAll(/<([^<>]*)>\s*;([^,<]*)/g)
  return links.find(([, , parameters = '']) => /\brel\s*=\s*"?canonical\b/i.test(parameters))?.[1]
}
