import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { findSentIssues, SENT_LIMITS } from '../../../page/sent-document.ts'
import type { UtilityPorts } from '../../../ports.ts'
import { findIssues, type Input, input } from './input.ts'
import { EXAMPLE, output } from './output.ts'
import { scrapePage } from './scrape-page.ts'
import { scrapePages } from './scrape-pages.ts'

export const scrape = defineEndpoint({
  id: 'scrape',
  method: 'GET',
  path: '/api/scrape',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  summary: 'Page as clean Markdown',
  description:
    'Up to 10 pages as Markdown, text or HTML without navigation (`dropped` counts what is left out; `main_only=false` keeps all): whole lists, tables, prices, code, formulas, links; CSS selectors, screenshots. Images: printed English only.',
  accepts: 'either',
  input,
  output,
  example: EXAMPLE,
  limits: { ...SENT_LIMITS, timeoutMs: 45_000 },
  check: (given, ports: UtilityPorts, files) => [
    ...findSentIssues(given, files.get('file')),
    ...findIssues(given, ports),
  ],
  async handle(call: Call<Input, UtilityPorts, Address>) {
    const { urls } = call.input
    return json(urls ? await scrapePages(urls, call) : await scrapePage(call.input.url, call))
  },
})
