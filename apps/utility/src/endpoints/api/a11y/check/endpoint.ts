import type { Finding, PageReport } from '@tollbook/a11y/check-page'
import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { defineJob } from '@tollbook/workers/job'
import * as z from 'zod'
import { describePage, pageUrl, readPage, toSource } from '../../../../page/read-page.ts'
import {
  describeSent,
  MAX_HTML_LENGTH,
  NOWHERE,
  readSent,
  sentPageFields,
} from '../../../../page/sent-document.ts'
import { workOnPage } from '../../../../page/work-on-page.ts'
import type { UtilityPorts } from '../../../../ports.ts'
import { EXAMPLE } from './example.ts'

type Port = Pick<Call<unknown, UtilityPorts, Address>, 'ports' | 'payer' | 'signal'>

/** Further sheets are not fetched; colour findings then need human review. */
const MAX_SHEETS = 12
const MAX_SHEET_BYTES = 1_000_000
const MAX_BYTES = 3_000_000
const SHEET_TIMEOUT_MS = 4_000

const MODULE = new URL('./check-source.ts', import.meta.url)
const list = defineJob<typeof import('./check-source.ts').listSheets>({
  module: MODULE,
  name: 'listSheets',
  deadlineMs: 4_000,
})
const check = defineJob<typeof import('./check-source.ts').checkSource>({
  module: MODULE,
  name: 'checkSource',
  deadlineMs: 8_000,
})

const LEVELS = ['A', 'AA', 'AAA'] as const
const IMPACTS = ['critical', 'serious', 'moderate', 'minor'] as const

const input = z.object({
  url: pageUrl
    .optional()
    .describe('Public http(s) URL of the page. With `html` it is only the base URL and is not fetched.'),
  html: z
    .string()
    .min(1)
    .max(MAX_HTML_LENGTH)
    .optional()
    .describe("The page's HTML, instead of a page to fetch. Send it by POST."),
  level: z.enum(LEVELS).default('AAA').describe('Strictest level to check.'),
  standard: z.enum(['wcag20', 'wcag21', 'wcag22']).default('wcag22').describe('Version of WCAG to check.'),
  include_best_practices: z
    .boolean()
    .default(false)
    .describe('Also check best practices that no criterion requires, such as a main element.'),
})

const criterion = z.object({ sc: z.string(), name: z.string(), level: z.enum(LEVELS), url: z.string() })
const finding = z.object({
  rule: z.string(),
  impact: z.enum(IMPACTS),
  level: z.enum(LEVELS).nullable().describe('Null for a best practice.'),
  success_criteria: z.array(criterion),
  message: z.string(),
  help_url: z.string(),
  count: z.int().describe('Number of elements found; `nodes` lists the first 50.'),
  nodes: z.array(z.object({ selector: z.string(), html: z.string(), message: z.string() })),
})

const output = z.object({
  ...sentPageFields,
  url: z
    .string()
    .nullable()
    .describe('Null if only `html` was sent; so are the other fields about the page.'),
  engine: z.string(),
  standard: z.enum(['wcag20', 'wcag21', 'wcag22']),
  level: z.enum(LEVELS),
  summary: z.object({
    violations: z.int().describe('Rules with violations.'),
    needs_review: z.int(),
    passes: z.int(),
    by_level: z.object({ A: z.int(), AA: z.int(), AAA: z.int(), best_practice: z.int() }),
    by_impact: z.object({ critical: z.int(), serious: z.int(), moderate: z.int(), minor: z.int() }),
  }),
  findings: z.array(finding),
  needs_review: z.array(finding).describe('What a person must review, apart from violations.'),
  passes: z.array(z.string()),
  not_testable_statically: z.array(criterion),
  stylesheets: z.object({
    linked: z.int(),
    read: z.int().describe('If fewer were read than linked, contrast is left for review.'),
  }),
  score: z.int().nullable().describe('0 to 100: passed rules by impact; null if scripts make the content.'),
  ts: z.iso.datetime(),
})

type Input = z.output<typeof input>

export const a11yCheck = defineEndpoint({
  id: 'a11y-check',
  method: 'GET',
  path: '/api/a11y/check',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  summary: 'WCAG findings of a page',
  description:
    'Static check of a page against WCAG 2.0, 2.1 or 2.2, levels A to AAA: names, roles, ARIA, contrast, languages, forms, tables, media. Each finding has criterion, level, selector, snippet and help; items for human review are separate.',
  input,
  output,
  example: { input: { url: 'https://example.com/post' }, output: EXAMPLE },
  // A character of the page may take several bytes.
  limits: { bodyBytes: 4_200_000, timeoutMs: 25_000 },
  check: ({ url, html }) =>
    url === undefined && html === undefined ? [{ parameter: 'url', detail: 'is required without html' }] : [],
  async handle(call: Call<Input, UtilityPorts, Address>) {
    const { level, standard, include_best_practices } = call.input
    const { source, description } = await openSource(call)
    const linked = await workOnPage(list, source, call)
    const sheets = await readSheets(
      linked.filter((one) => !one.startsWith(NOWHERE)),
      call,
    )
    const options = { level, standard, hasBestPractices: include_best_practices }
    const report = await workOnPage(check, { source, sheets, options }, call)
    return json({
      ...description,
      engine: 'tollbook-static',
      standard,
      level,
      summary: summarise(report),
      findings: report.findings.map(toAnswer),
      needs_review: report.needsReview.map(toAnswer),
      passes: [...report.passes],
      not_testable_statically: report.notTestable.map((one) => ({ ...one })),
      stylesheets: { linked: linked.length, read: sheets.size },
      score: report.score,
      ts: call.now.toISOString(),
    })
  },
})

/** The page in the request, or else the one at its URL. */
async function openSource(call: Call<Input, UtilityPorts, Address>) {
  const sent = readSent(call.input, undefined)
  if (sent) return { source: sent, description: describeSent(call.input, sent.body.byteLength) }
  const page = await readPage(call.input.url ?? '', call)
  return { source: toSource(page), description: describePage(page) }
}

function summarise({ findings, needsReview, passes }: PageReport) {
  const count = (isCounted: (one: Finding) => boolean) => findings.filter(isCounted).length
  return {
    violations: findings.length,
    needs_review: needsReview.length,
    passes: passes.length,
    by_level: {
      A: count(({ level }) => level === 'A'),
      AA: count(({ level }) => level === 'AA'),
      AAA: count(({ level }) => level === 'AAA'),
      best_practice: count(({ level }) => level === null),
    },
    by_impact: {
      critical: count(({ impact }) => impact === 'critical'),
      serious: count(({ impact }) => impact === 'serious'),
      moderate: count(({ impact }) => impact === 'moderate'),
      minor: count(({ impact }) => impact === 'minor'),
    },
  }
}

function toAnswer({ helpUrl, criteria, nodes, ...rest }: Finding) {
  return {
    ...rest,
    success_criteria: criteria.map((one) => ({ ...one })),
    help_url: helpUrl,
    nodes: nodes.map((node) => ({ ...node })),
  }
}

/** Fetches the linked sheets concurrently; a sheet that does not arrive in time is skipped. */
async function readSheets(
  urls: readonly string[],
  { ports, payer, signal }: Port,
): Promise<ReadonlyMap<string, string>> {
  const sheets = new Map<string, string>()
  let bytes = 0
  const read = async (url: string) => {
    const limits = { maxBytes: MAX_SHEET_BYTES, timeoutMs: SHEET_TIMEOUT_MS }
    const { status, body } = await ports.fetch(url, { ...limits, payer, signal, accept: 'text/css' })
    bytes += body.byteLength
    if (status === 200 && bytes <= MAX_BYTES) sheets.set(url, new TextDecoder().decode(body))
  }
  // A missing sheet does not fail the check: findings that depend on it are reported as uncertain.
  await Promise.allSettled(urls.slice(0, MAX_SHEETS).map(read))
  signal.throwIfAborted()
  return sheets
}
