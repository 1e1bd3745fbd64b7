import * as z from 'zod'
import type { FreeAnswer } from '../../../catalogue/answer.ts'
import { PAGE_HEADERS } from '../../../catalogue/documents/site-page.ts'
import type { Endpoint } from '../../../catalogue/endpoint.ts'
import { toRenderedText } from '../../../http/reply/rendered-text.ts'
import { utcTime } from '../../build/merchant-report.ts'
import { loadPublications } from '../editions/publications.ts'
import { ROLLING } from '../editions/publish-run.ts'
import { defineRead, HTML_TYPE, JSON_TYPE, textOf } from '../serving/define-read.ts'
import type { ReportPorts } from '../serving/ports.ts'
import { loadOverview, type Overview } from './overview.ts'
import { renderOverviewPage } from './overview-page.ts'

const count = z.int().min(0)
const dollars = z.number().min(0)
const sums = { tx: count, usd: dollars, real_tx: count, real_usd: dollars }
const window = {
  merchants: count,
  ...sums,
  buyers: count.nullable().describe('Distinct wallets; null for weeks published before they were counted.'),
  real_buyers: count.nullable(),
  facilitators: z
    .array(z.object({ name: z.string(), addresses: z.array(z.string()), ...sums }))
    .describe('By who sent the settlement; most payments first.'),
}
export const overviewShape = z.object({
  newest: z.object({ start: utcTime, end: utcTime, complete: z.boolean(), ...window }).nullable(),
  weeks: z
    .array(z.object({ week: z.iso.date(), revision: z.int().min(1), ...window }))
    .describe('Published weeks, oldest first, at most 104.'),
  days: z.array(z.object({ date: z.iso.date(), ...sums })).describe('UTC dates, oldest first, at most 60.'),
})

/** All merchants together over time. */
export const OVERVIEW_ENDPOINTS: readonly Endpoint[] = [
  defineRead({
    id: 'overview-page',
    path: '/overview',
    summary: 'All merchants together over time, as an HTML page',
    input: z.object({}),
    output: textOf('text/html'),
    example: {},
    isPage: true,
    answer: ({ ports }) =>
      answer(ports, {
        form: 'page',
        contentType: HTML_TYPE,
        headers: PAGE_HEADERS,
        render: (overview) => renderOverviewPage(overview, ports),
      }),
  }),
  defineRead({
    id: 'overview',
    path: '/overview.json',
    summary: 'All merchants together by week, day and facilitator',
    input: z.object({}),
    output: overviewShape,
    example: {},
    answer: ({ ports }) =>
      answer(ports, {
        form: 'json',
        contentType: JSON_TYPE,
        render: async (overview) => `${JSON.stringify(overview)}\n`,
      }),
  }),
]

type Form = {
  readonly form: string
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
  readonly render: (overview: Overview) => Promise<string>
}

async function answer(ports: ReportPorts, { form, render, ...others }: Form): Promise<FreeAnswer> {
  const newest = await ports.reader.edition(ROLLING)
  const [last] = await loadPublications(ports.state, 1)
  const publishedAt = Math.max(newest?.published_at ?? 0, last?.published_at ?? 0)
  return {
    kind: 'document',
    content: await ports.cache.render(`overview/${form}/${publishedAt}`, async () =>
      toRenderedText(
        await render(await loadOverview(ports.state, { newest, names: ports.facilitatorNames })),
      ),
    ),
    lastModified: publishedAt === 0 ? ports.startedAt : new Date(publishedAt),
    maxAgeSeconds: ports.maxAgeSeconds,
    ...others,
  }
}
