import type { FreeAnswer } from '@tollbook/endpoints/answer'
import { PAGE_HEADERS } from '@tollbook/endpoints/documents/site-page'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { hashText } from '@tollbook/http/reply/rendered-text'
import type { Immutable } from '@tollbook/verify/build/merchant-report'
import { reportUrl } from '@tollbook/verify/published/links'
import { html } from 'hono/html'
import * as z from 'zod'
import { type Bar, renderBars } from '../pages/chart.ts'
import { showAddress, showCount, showPassing, showSum } from '../pages/figures-text.ts'
import { renderPage } from '../pages/layout.ts'
import { toShownName } from '../pages/merchant-name.ts'
import { renderShareBar, shareOfUsd } from '../pages/share-bar.ts'
import { loadMerchantWeeks } from '../served/merchant-history.ts'
import { lineFields, nameFields, toMerchantLine } from '../served/merchant-line.ts'
import { defineRead, HTML_TYPE, JSON_TYPE, renderDocument, textOf } from './reads/define-read.ts'
import { EXAMPLE_ADDRESS, MERCHANT } from './reads/parameters.ts'
import type { ReportPorts } from './reads/ports.ts'
import { findReport } from './reads/requested-report.ts'

const [MIN, MAX] = [2, 5]
const line = { ...lineFields, rank: z.int().nullable() }
const comparisonShape = z.object({
  merchants: z.array(
    z.object({
      address: z.string(),
      ...nameFields,
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
  const isMerchant = new RegExp(`^(?:${MERCHANT})$`)
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
  const key = `compare/${form.contentType}/${hashText(JSON.stringify(compared))}`
  const { maxAgeSeconds } = ports
  return renderDocument(ports, key, { maxAgeSeconds, ...form, render: () => form.render(compared) })
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

type ComparedMerchant = Immutable<z.output<typeof comparisonShape>>['merchants'][number]

/** Merchants side by side: the newest seven days, and every published week on one scale. */
function renderComparePage(
  merchants: readonly ComparedMerchant[],
  { baseUrl, isDemo }: { readonly baseUrl: string; readonly isDemo: boolean },
): Promise<string> {
  const names = merchants.map((merchant) => toShownName(merchant).name ?? showAddress(merchant.address))
  const query = `?merchants=${merchants.map(({ address }) => encodeURIComponent(address)).join(',')}`
  const rows = merchants.map((merchant, at) => {
    const share = shareOfUsd(merchant)
    return html`<tr><th scope="row" class="wide"><a href="/merchants/base/${merchant.address}">${names[at]}</a></th><td class="num real" data-label="Real">${showSum(merchant.real_usd, merchant.real_tx)}</td><td class="num" data-label="Reported">${showSum(merchant.usd, merchant.tx)}</td><td class="num" data-label="Passes">${showPassing(share)}${renderShareBar(share)}</td><td class="num" data-label="Payments">${showCount(merchant.real_tx)}<span class="rest">of ${showCount(merchant.tx)}</span></td><td class="num" data-label="Buyers">${showCount(merchant.real_buyers)}<span class="rest">of ${showCount(merchant.buyers)}</span></td><td class="num" data-label="Effective buyers">${merchant.effective_buyers === null ? '–' : showCount(merchant.effective_buyers)}</td><td class="num" data-label="Returning buyers">${merchant.returning_buyers === null ? '–' : showCount(merchant.returning_buyers)}</td><td class="num" data-label="Rank">${merchant.rank ?? '–'}</td></tr>`
  })
  const weeks = [...new Set(merchants.flatMap((each) => each.weeks.map(({ week }) => week)))].sort()
  const top = Math.max(...merchants.flatMap((each) => each.weeks.map(({ usd }) => usd)))
  const charts = merchants.map((merchant, at) => {
    const bars = weeks.map((week): Bar => {
      const own = merchant.weeks.find((each) => each.week === week)
      return { date: week, tx: own?.tx ?? 0, usd: own?.usd ?? 0, real_usd: own?.real_usd ?? 0 }
    })
    return html`<figure class="panel"><h3>${names[at]}</h3><figcaption><span class="key">Reported</span><span class="key passing">Passing every screen</span></figcaption>
${renderBars(bars, `Dollars per week of ${names[at]}`, top)}</figure>`
  })
  return renderPage({
    title: `Comparison: ${names.join(', ')}`,
    description: 'x402 revenue of merchants on Base side by side: reported, and passing every screen.',
    canonical: `${baseUrl}/compare${query}`,
    isDemo,
    main: html`<h1>Merchants side by side</h1>
<p class="muted">The newest 7 days, and every published week. <a href="/compare.json${query}">As JSON</a></p>
<table class="stack"><thead><tr><th scope="col">Merchant</th><th scope="col" class="num">Real</th><th scope="col" class="num">Reported</th><th scope="col" class="num">Passes</th><th scope="col" class="num">Payments</th><th scope="col" class="num">Buyers</th><th scope="col" class="num">Effective buyers</th><th scope="col" class="num">Returning</th><th scope="col" class="num">Rank</th></tr></thead><tbody>${rows}</tbody></table>
${
  weeks.length === 0
    ? html`<p class="note">No week of these merchants has been published yet.</p>`
    : html`<section aria-labelledby="weeks"><h2 id="weeks">Week by week</h2>
<p class="note">All charts have the same scale.</p>
<div class="stacked">${charts}</div></section>`
}`,
  })
}
