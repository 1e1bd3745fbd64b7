import { findSelectorIssue, MAX_SELECTOR_LENGTH } from '@tollbook/extract/select-elements'
import type { Issue } from '@tollbook/http/problem'
import * as z from 'zod'
import type { BrowserOptions } from '../../../browser/browser-task.ts'
import { pageUrl } from '../../../page/read-page.ts'
import { sentFields } from '../../../page/sent-document.ts'
import type { UtilityPorts } from '../../../ports.ts'
import { findSchemaIssue } from './extract-json.ts'

export const FORMATS = ['markdown', 'text', 'html', 'raw_html', 'links', 'screenshot'] as const
const MAX_URLS = 10
const MAX_SELECTORS = 10
/** Characters of content of all pages of a call. */
const MAX_TOTAL_CHARS = 1_000_000

const selectors = z.array(z.string().min(1).max(MAX_SELECTOR_LENGTH)).max(MAX_SELECTORS).default([])

/** Request headers that change what a page shows; none of them identifies or authorizes anyone. */
const REQUEST_HEADERS = new Set([
  'accept-language',
  'referer',
  'dnt',
  'sec-gpc',
  'save-data',
  'cache-control',
])
const HEADERS_TEXT = [...REQUEST_HEADERS].join(', ')
const HEADER_VALUE = /^[\x20-\x7e]{1,200}$/

export const input = z.object({
  url: pageUrl.optional().describe('Or `urls`, `html`, `file`.'),
  ...sentFields,
  urls: z
    .array(z.url({ protocol: /^https?$/ }).max(2_048))
    .min(1)
    .max(MAX_URLS)
    .optional()
    .describe('Several pages.'),
  main_only: z.boolean().default(true).describe('Removes boilerplate; false keeps the whole page.'),
  include_links: z.boolean().default(true).describe('Keeps link targets.'),
  include_images: z.boolean().default(true).describe('Keeps images.'),
  format: z
    .enum(['markdown', 'text', 'html'])
    .default('markdown')
    .describe('Format of the field `markdown`.'),
  formats: z.array(z.enum(FORMATS)).max(FORMATS.length).default([]).describe('Further fields.'),
  include_selectors: selectors.describe('CSS selectors of the content.'),
  exclude_selectors: selectors.describe('CSS selectors to drop.'),
  wait_for: z
    .string()
    .min(1)
    .max(MAX_SELECTOR_LENGTH)
    .optional()
    .describe('CSS selector that rendering waits for.'),
  full_page: z.boolean().default(false).describe('Screenshot of the full page.'),
  language: z
    .string()
    .regex(/^[\w*,;=. -]{1,100}$/, 'must be as Accept-Language, such as de or en-GB,en;q=0.8')
    .optional()
    .describe('As `Accept-Language`.'),
  headers: z.record(z.string(), z.string()).optional().describe('Request headers; no credentials.'),
  schema: z.record(z.string(), z.unknown()).optional().describe('JSON Schema for `json`, by a model.'),
  prompt: z.string().max(2_000).optional().describe('Instruction for it.'),
  max_age: z.int().min(0).max(86_400).default(0).describe('Accepts a cached page of that age, s.'),
  max_chars: z
    .int()
    .min(100)
    .max(1_000_000)
    .default(100_000)
    .describe('Longer content is cut between blocks.'),
  render: z
    .enum(['auto', 'always', 'never'])
    .default('auto')
    .describe('Runs scripts first; `auto`: if there is hardly any content without.'),
})

export type Input = z.output<typeof input>

const NO_BROWSER: Issue = {
  parameter: 'render',
  detail: 'cannot be always, as for wait_for and screenshot: no browser is configured (TOLLBOOK_BROWSER_WS)',
  code: 'not_configured',
}

const NO_MODEL: Issue = {
  parameter: 'schema',
  detail: 'cannot be filled: no model is configured (TOLLBOOK_EXTRACTION_TIER)',
  code: 'not_configured',
}

/** Issues that are visible before payment. */
export function findIssues(given: Input, { browser, extractionTier }: UtilityPorts): Issue[] {
  const { url, urls, language, headers, max_chars } = given
  const issues = findFetchIssues(given)
  if (url === undefined && urls === undefined && !isSent(given))
    issues.push({ parameter: 'url', detail: 'is required without urls, html or file' })
  if (url !== undefined && urls !== undefined)
    issues.push({ parameter: 'urls', detail: 'is allowed only without url' })
  if (urls !== undefined && urls.length * max_chars > MAX_TOTAL_CHARS)
    issues.push({ parameter: 'max_chars', detail: `times the number of urls is at most ${MAX_TOTAL_CHARS}` })
  if (language !== undefined && headers?.['accept-language'] !== undefined)
    issues.push({ parameter: 'language', detail: 'is allowed only without the header accept-language' })
  for (const [name, value] of Object.entries(headers ?? {}))
    if (!REQUEST_HEADERS.has(name) || !HEADER_VALUE.test(value))
      issues.push({ parameter: 'headers', detail: `accepts only ${HEADERS_TEXT}, of printable ASCII` })
  for (const parameter of ['include_selectors', 'exclude_selectors'] as const)
    for (const selector of given[parameter]) {
      const detail = findSelectorIssue(selector)
      if (detail !== null) issues.push({ parameter, detail })
    }
  if (given.schema === undefined && given.prompt !== undefined)
    issues.push({ parameter: 'prompt', detail: 'is allowed only with schema' })
  if (given.schema !== undefined) {
    const detail = urls === undefined ? findSchemaIssue(given.schema) : 'is allowed only with url'
    if (detail !== null) issues.push({ parameter: 'schema', detail })
    else if (!extractionTier) issues.push(NO_MODEL)
  }
  const browserOptions = toBrowserOptions(given)
  const selectorIssue =
    browserOptions.waitFor === undefined ? null : findSelectorIssue(browserOptions.waitFor)
  if (selectorIssue !== null) issues.push({ parameter: 'wait_for', detail: selectorIssue })
  if (browserOptions.screenshot && urls !== undefined)
    issues.push({ parameter: 'formats', detail: 'must not contain screenshot with urls' })
  const usesBrowser = given.render === 'always' || Object.keys(browserOptions).length > 0
  if (usesBrowser && given.render === 'never')
    issues.push({ parameter: 'render', detail: 'must not be never with wait_for or screenshot' })
  if (usesBrowser && !browser) issues.push(NO_BROWSER)
  return issues
}

/** Whether the document is in the request. */
export function isSent({ html, file }: Input): boolean {
  return html !== undefined || file !== undefined
}

/** Options that need a fetched page, next to one that was sent. */
function findFetchIssues(given: Input): Issue[] {
  if (!isSent(given)) return []
  const { urls, render, wait_for, formats, headers, language, max_age } = given
  const needing = {
    urls: urls !== undefined,
    render: render === 'always',
    wait_for: wait_for !== undefined,
    formats: formats.includes('screenshot'),
    headers: headers !== undefined,
    language: language !== undefined,
    max_age: max_age > 0,
  }
  const detail = 'needs a page that is fetched, not html or file'
  return Object.entries(needing).flatMap(([parameter, isUnfit]) => (isUnfit ? [{ parameter, detail }] : []))
}

export function toRequestHeaders({ headers, language }: Input): Record<string, string> {
  return { ...headers, ...(language !== undefined && { 'accept-language': language }) }
}

/** What the browser does for a call; without any wish it may not be needed. */
export function toBrowserOptions({ wait_for, formats, full_page }: Input): BrowserOptions {
  return {
    ...(wait_for !== undefined && { waitFor: wait_for }),
    ...(formats.includes('screenshot') && { screenshot: full_page ? 'page' : 'view' }),
  }
}
