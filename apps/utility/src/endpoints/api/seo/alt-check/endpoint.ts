import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { defineJob } from '@tollbook/workers/job'
import * as z from 'zod'
import { describePage, pageFields, pageUrl, readPage, toSource } from '../../../../page/read-page.ts'
import { workOnPage } from '../../../../page/work-on-page.ts'
import type { UtilityPorts } from '../../../../ports.ts'
import { type AltAudit, FINDING_TYPES, type FindingType } from './audit-alternatives.ts'

const job = defineJob<typeof import('./check-alternatives.ts').checkAlternatives>({
  module: new URL('./check-alternatives.ts', import.meta.url),
  name: 'checkAlternatives',
  deadlineMs: 5_000,
})

const input = z.object({
  url: pageUrl,
  max_length: z
    .int()
    .min(20)
    .max(1_000)
    .default(125)
    .describe('Maximum length of an alternative in characters.'),
  limit: z.int().min(1).max(1_000).default(200).describe('Maximum findings listed; all are counted.'),
})

const output = z.object({
  ...pageFields,
  images_total: z.int(),
  summary: z.object({
    ok: z.int(),
    missing_alt: z.int(),
    filename_alt: z.int(),
    generic_alt: z.int(),
    long_alt: z.int(),
    redundant_alt: z.int(),
    svg_unlabeled: z.int(),
    area_missing: z.int(),
    input_image_missing: z.int(),
    decorative: z.int().describe('Empty alternative, role none or aria-hidden; not a finding by itself.'),
  }),
  findings: z.array(
    z.object({
      type: z.enum(FINDING_TYPES),
      severity: z.enum(['critical', 'serious', 'moderate', 'minor']),
      wcag: z.array(z.string()),
      element: z.string(),
      selector: z.string(),
      src: z.string().nullable(),
      alt: z.string().nullable(),
      message: z.string(),
    }),
  ),
  score: z.int().describe('0 to 100: the share of images without a finding.'),
  truncated: z.boolean(),
  ts: z.iso.datetime(),
})

type Input = z.output<typeof input>

export const altCheck = defineEndpoint({
  id: 'seo-alt-check',
  method: 'GET',
  path: '/api/seo/alt-check',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  summary: 'Image alt text audit',
  description:
    'Audit of the text alternatives of a page: missing, file names, generic words in many languages, too long, repeated next to the image; unlabelled svg images, image-map areas and image buttons. Decorative images are counted separately.',
  input,
  output,
  example: {
    input: { url: 'https://example.com/' },
    output: {
      url: 'https://example.com/',
      final_url: 'https://example.com/',
      status: 200,
      redirects: [],
      fetch_ms: 182.4,
      bytes: 512,
      images_total: 4,
      summary: {
        ok: 2,
        missing_alt: 0,
        filename_alt: 1,
        generic_alt: 0,
        long_alt: 0,
        redundant_alt: 0,
        svg_unlabeled: 0,
        area_missing: 0,
        input_image_missing: 0,
        decorative: 1,
      },
      findings: [
        {
          type: 'filename_alt',
          severity: 'serious',
          wcag: ['1.1.1'],
          element: 'img',
          selector: 'body > main > figure:nth-of-type(2) > img',
          src: 'https://example.com/IMG_2837.jpg',
          alt: 'IMG_2837.jpg',
          message: 'The text alternative is a file name; describe what the image shows.',
        },
      ],
      score: 75,
      truncated: false,
      ts: '2026-11-21T10:00:00.000Z',
    },
  },
  limits: { bodyBytes: 8192, timeoutMs: 25_000 },
  findEmptiness: ({ images_total }) => (images_total > 0 ? null : { detail: 'The page has no images.' }),
  async handle(call: Call<Input, UtilityPorts, Address>) {
    const { max_length, limit } = call.input
    const page = await readPage(call.input.url, call)
    const audit = await workOnPage(job, { source: toSource(page), maxLength: max_length }, call)
    return json({
      ...describePage(page),
      images_total: audit.images,
      summary: summarise(audit),
      findings: audit.findings.slice(0, limit).map((one) => ({ ...one, wcag: [...one.wcag] })),
      score: scoreOf(audit),
      truncated: audit.findings.length > limit,
      ts: call.now.toISOString(),
    })
  },
})

function summarise({ ok, decorative, findings }: AltAudit) {
  const count = (type: FindingType) => findings.filter((one) => one.type === type).length
  return {
    ok,
    missing_alt: count('missing_alt'),
    filename_alt: count('filename_alt'),
    generic_alt: count('generic_alt'),
    long_alt: count('long_alt'),
    redundant_alt: count('redundant_alt'),
    svg_unlabeled: count('svg_unlabeled'),
    area_missing: count('area_missing'),
    input_image_missing: count('input_image_missing'),
    decorative,
  }
}

function scoreOf({ images, findings }: AltAudit): number {
  const flagged = new Set(findings.map(({ selector }) => selector)).size
  return images === 0 ? 100 : Math.round((100 * Math.max(0, images - flagged)) / images)
}
