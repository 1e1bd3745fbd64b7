import * as z from 'zod'
import type { FreeAnswer } from '../../../catalogue/answer.ts'
import { PAGE_HEADERS } from '../../../catalogue/documents/site-page.ts'
import type { Endpoint } from '../../../catalogue/endpoint.ts'
import { hashText, toRenderedText } from '../../../http/reply/rendered-text.ts'
import { flags } from '../../build/merchant-report.ts'
import { toMerchantLine } from '../editions/merchant-line.ts'
import { loadMerchantWeeks } from '../merchant/merchant-history.ts'
import { findReport } from '../merchant/requested-report.ts'
import { reportUrl } from '../pages/links.ts'
import { defineRead, HTML_TYPE, JSON_TYPE, textOf } from '../serving/define-read.ts'
import { EXAMPLE_ADDRESS, MERCHANT_PATTERNS } from '../serving/parameters.ts'
import type { ReportPorts } from '../serving/ports.ts'
import { type ComparedMerchant, renderComparePage } from './compare-page.ts'

const [MIN, MAX] = [2, 5]
const count = z.int().min(0)
const dollars = z.number().min(0)
const line = {
  tx: count,
  usd: dollars,
  real_tx: count,
  real_usd: dollars,
  buyers: count,
  real_buyers: count,
  effective_buyers: z.number().nullable(),
  returning_buyers: count.nullable(),
  rank: z.int().nullable(),
  flags,
}
const comparisonShape = z.object({
  merchants: z.array(
    z.object({
      address: z.string(),
      name: z.string(),
      name_confirmed: z.boolean(),
      ...line,
      report: z.url(),
      weeks: z
        .array(z.object({ week: z.iso.date(), revision: z.int(), ...line }))
        .describe('Published weeks, newest first.'),
    }),
  ),
})

const input = z.object({
  merchants: z
    .string()
    .max(MAX * 300)
    .transform((text) => [
      ...new Set(
        text
          .toLowerCase()
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== ''),
      ),
    ])
    .describe('Two to five merchants, separated by commas: wallet addresses, or `host:` and a host.'),
})
type Input = z.output<typeof input>

const EXAMPLE = { merchants: `${EXAMPLE_ADDRESS},0x00000000000000000000000000000000000000b2` }

/** Merchants side by side: the newest seven days, and every published week. */
export const COMPARE_ENDPOINTS: readonly Endpoint[] = [
  defineRead({
    id: 'compare-page',
    path: '/compare',
    summary: 'Two to five merchants side by side, as an HTML page',
    input,
    output: textOf('text/html'),
    example: EXAMPLE,
    isPage: true,
    check,
    answer: ({ input, ports }) =>
      answer(input, ports, {
        contentType: HTML_TYPE,
        headers: PAGE_HEADERS,
        render: (merchants) => renderComparePage(merchants, ports),
      }),
  }),
  defineRead({
    id: 'compare',
    path: '/compare.json',
    summary: 'Two to five merchants side by side, week by week',
    input,
    output: comparisonShape,
    example: EXAMPLE,
    check,
    answer: ({ input, ports }) =>
      answer(input, ports, {
        contentType: JSON_TYPE,
        render: async (merchants) => `${JSON.stringify({ merchants })}\n`,
      }),
  }),
]

function check({ merchants }: Input) {
  const isMerchant = new RegExp(`^(?:${MERCHANT_PATTERNS.address})$`)
  if (merchants.length >= MIN && merchants.length <= MAX && merchants.every((each) => isMerchant.test(each)))
    return []
  return [
    { parameter: 'merchants', detail: `must be ${MIN} to ${MAX} different merchants, separated by commas` },
  ]
}

type Form = {
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
  readonly render: (merchants: readonly ComparedMerchant[]) => Promise<string>
}

/** @throws ProblemError `not_found` when one of them was never paid. */
async function answer({ merchants }: Input, ports: ReportPorts, form: Form): Promise<FreeAnswer> {
  const compared = await Promise.all(merchants.map((address) => loadMerchant(address, ports)))
  const { render, ...others } = form
  const key = `compare/${form.contentType}/${hashText(JSON.stringify(compared))}`
  return {
    kind: 'document',
    content: await ports.cache.render(key, async () => toRenderedText(await render(compared))),
    maxAgeSeconds: ports.maxAgeSeconds,
    ...others,
  }
}

async function loadMerchant(address: string, ports: ReportPorts): Promise<ComparedMerchant> {
  const stored = await findReport({ address }, ports)
  const weeks = await loadMerchantWeeks(ports.state, address)
  return {
    address,
    ...toMerchantLine(stored),
    rank: stored.rank,
    report: reportUrl(ports.baseUrl, address, null),
    weeks: weeks.map(
      ({ name: _name, name_confirmed: _confirmed, etag: _etag, changedAt: _at, ...week }) => week,
    ),
  }
}
