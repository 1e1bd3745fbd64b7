import type { FreeAnswer } from '@tollbook/endpoints/answer'
import { type Markup, PAGE_HEADERS } from '@tollbook/endpoints/documents/site-page'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { ROLLING } from '@tollbook/verify/published/edition-name'
import type { Sums } from '@tollbook/verify/published/overview'
import { type Overview, overviewShape } from '@tollbook/verify/published/overview'
import { html } from 'hono/html'
import * as z from 'zod'
import { loadPublications } from '../editions/stored-reports.ts'
import { type Bar, renderBars } from '../pages/chart.ts'
import { renderFigureCard } from '../pages/figure-card.ts'
import { showAddress, showCount, showPassing, showSum } from '../pages/figures-text.ts'
import { renderPage } from '../pages/layout.ts'
import { renderMoneyPanel } from '../pages/money-panel.ts'
import { renderShareBar, shareOfUsd } from '../pages/share-bar.ts'
import { loadOverview } from '../served/overview.ts'
import { defineRead, HTML_TYPE, JSON_TYPE, renderDocument, textOf } from './reads/define-read.ts'
import type { ReportPorts } from './reads/ports.ts'

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
        contentType: JSON_TYPE,
        render: async (overview) => `${JSON.stringify(overview)}\n`,
      }),
  }),
]

type Form = {
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
  readonly render: (overview: Overview) => Promise<string>
}

async function answer(ports: ReportPorts, { contentType, render, ...others }: Form): Promise<FreeAnswer> {
  const newest = await ports.reader.edition(ROLLING)
  const [last] = await loadPublications(ports.state, 1)
  const publishedAt = Math.max(newest?.published_at ?? 0, last?.published_at ?? 0)
  return renderDocument(ports, `overview/${contentType}/${publishedAt}`, {
    render: async () => render(await loadOverview(ports.state, { newest, names: ports.facilitatorNames })),
    lastModified: publishedAt === 0 ? ports.startedAt : new Date(publishedAt),
    maxAgeSeconds: ports.maxAgeSeconds,
    contentType,
    ...others,
  })
}

/** Facilitators with a chart of their own. */
const CHARTS = 4

const KEYS = html`<figcaption><span class="key">Reported</span><span class="key passing">Passing every screen</span></figcaption>`

function renderOverviewPage(
  { newest, weeks, days }: Overview,
  { baseUrl, isDemo }: { readonly baseUrl: string; readonly isDemo: boolean },
): Promise<string> {
  const title = 'All x402 payments on Base'
  const toBar = (week: Sums & { readonly week: string }): Bar => ({ ...week, date: week.week })
  return renderPage({
    title,
    description: 'x402 revenue of all merchants on Base over time: reported, and passing every screen.',
    canonical: `${baseUrl}/overview`,
    isDemo,
    main: html`<h1>${title}</h1>
<p class="intro">All merchants together, by week, day and facilitator: the service that sends a payment to the chain. <a href="/overview.json">As JSON</a></p>
${newest ? renderNewest(newest) : html`<p class="lead">Nothing has been published yet.</p>`}
${
  days.length === 0
    ? ''
    : html`<section aria-labelledby="days"><h2 id="days">Day by day</h2>
<figure class="panel">${KEYS}
${renderBars(days, 'Dollars per day')}</figure></section>`
}
${
  weeks.length === 0
    ? html`<p class="note">No week has been published yet.</p>`
    : html`<section aria-labelledby="weeks"><h2 id="weeks">Week by week</h2>
<figure class="panel">${KEYS}
${renderBars(weeks.map(toBar), 'Dollars per week')}</figure>
${renderTable(
  'Week to',
  weeks
    .toReversed()
    .map((week) => ({ ...week, label: html`<a href="/?week=${week.week}">${week.week}</a>` })),
)}</section>`
}
${newest ? renderFacilitators(newest, weeks) : ''}`,
  })
}

function renderNewest(newest: NonNullable<Overview['newest']>): Markup {
  const { merchants, end, complete, tx, real_tx, buyers, real_buyers } = newest
  return html`<p class="lead">In the 7 days to ${end.slice(0, 10)} (UTC) ${showCount(merchants)} merchants were paid.${complete ? '' : ' This window is not complete yet.'}</p>
${renderMoneyPanel(newest)}
<ul class="cards" aria-label="Other totals that pass every screen, with the reported totals">
${renderFigureCard({ label: 'Payments that pass', real: real_tx, reported: tx, show: showCount })}
${buyers === null ? '' : renderFigureCard({ label: 'Buyer wallets that pass', real: real_buyers ?? 0, reported: buyers, show: showCount })}</ul>`
}

function renderFacilitators(
  { facilitators }: NonNullable<Overview['newest']>,
  weeks: Overview['weeks'],
): Markup | string {
  if (facilitators.length === 0) return ''
  const charts = weeks.length < 2 ? [] : facilitators.slice(0, CHARTS)
  return html`<section aria-labelledby="facilitators"><h2 id="facilitators">By facilitator</h2>
${renderTable(
  'Facilitator, newest 7 days',
  facilitators.map((each) => ({ ...each, label: toShown(each.name) })),
)}
<div class="stacked">${charts.map(({ name }) => {
    const bars = weeks.map((week): Bar => {
      const own = week.facilitators.find((each) => each.name === name)
      return { tx: 0, usd: 0, real_usd: 0, ...own, date: week.week }
    })
    return html`<figure class="panel"><h3>${toShown(name)}</h3>${KEYS}
${renderBars(bars, `Dollars per week settled by ${toShown(name)}`)}</figure>`
  })}</div></section>`
}

type Line = Sums & {
  readonly label: Markup | string
  readonly merchants?: number
  readonly buyers?: number | null
  readonly real_buyers?: number | null
}

function renderTable(title: string, lines: readonly Line[]): Markup {
  const isWeekly = lines.some(({ merchants }) => merchants !== undefined)
  const rows = lines.map((line) => {
    const share = shareOfUsd(line)
    return html`<tr><th scope="row" class="wide">${line.label}</th><td class="num real" data-label="Real">${showSum(line.real_usd, line.real_tx)}</td><td class="num" data-label="Reported">${showSum(line.usd, line.tx)}</td><td class="num" data-label="Passes">${showPassing(share)}${renderShareBar(share)}</td><td class="num" data-label="Payments">${showCount(line.real_tx)}<span class="rest">of ${showCount(line.tx)}</span></td>${
      isWeekly
        ? html`<td class="num" data-label="Buyers">${typeof line.buyers === 'number' ? html`${showCount(line.real_buyers ?? 0)}<span class="rest">of ${showCount(line.buyers)}</span>` : '–'}</td><td class="num" data-label="Merchants">${showCount(line.merchants ?? 0)}</td>`
        : ''
    }</tr>`
  })
  return html`<table class="stack"><thead><tr><th scope="col">${title}</th><th scope="col" class="num">Real</th><th scope="col" class="num">Reported</th><th scope="col" class="num">Passes</th><th scope="col" class="num">Payments</th>${isWeekly ? html`<th scope="col" class="num">Buyers</th><th scope="col" class="num">Merchants</th>` : ''}</tr></thead><tbody>${rows}</tbody></table>`
}

function toShown(name: string): string {
  return name.startsWith('0x') ? showAddress(name) : name
}
