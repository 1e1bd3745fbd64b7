import type { DailyRecord, ReportWindow } from '@tollbook/verify/build/merchant-report'
import { html } from 'hono/html'
import { showDay, showDollars } from './figures-text.ts'

// Units of the drawing; the page scales it to its column.
const WIDTH = 560
const HEIGHT = 200
const LEFT = 58
const TOP = 14
const BASELINE = HEIGHT - 26
const GAP = 0.28
/** More labels would overlap on a phone. */
const MAX_LABELS = 9

/** Draws the dollars of each day as a light bar with the passing part in dark, coloured by the stylesheet. */
export function renderChart(daily: readonly DailyRecord[], window: ReportWindow) {
  return renderBars(fillDays(daily, window), 'Dollars per day')
}

/** One bar: the dollars of a day, or of the week to a date. */
export type Bar = DailyRecord

/** Draws the dollars of periods, oldest first; charts can share a scale of at least `scaleUsd`. */
export function renderBars(days: readonly Bar[], title: string, scaleUsd = 0) {
  const top = niceCeiling(Math.max(...days.map((day) => day.usd), scaleUsd, 0.01))
  const step = (WIDTH - LEFT) / days.length
  const every = Math.ceil(days.length / MAX_LABELS)
  const toY = (usd: number) => BASELINE - ((BASELINE - TOP) * usd) / top
  const bars = days.map((day, index) => {
    const x = LEFT + index * step
    const left = round(x + (step * GAP) / 2)
    const width = round(step * (1 - GAP))
    return html`<g class="day"><title>${day.date}: ${showDollars(day.usd)} reported, ${showDollars(day.real_usd)} passing, ${day.tx} payments</title>
<rect class="hover" x="${round(x)}" y="${TOP}" width="${round(step)}" height="${BASELINE - TOP}" fill="none" pointer-events="all"/>
${bar('reported', '#bbb', left, toY(day.usd), width)}${bar('passing', '#000', left, toY(day.real_usd), width)}
${index % every === 0 ? html`<text x="${round(x + step / 2)}" y="${HEIGHT - 6}" text-anchor="middle">${labelOf(day.date, days[index - every]?.date)}</text>` : ''}</g>`
  })
  const grid = [0, top / 2, top].map(
    (
      usd,
    ) => html`<line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${round(toY(usd))}" y2="${round(toY(usd))}" stroke="#ccc"/>
<text x="${LEFT - 6}" y="${round(toY(usd) + 4)}" text-anchor="end">${showAxis(usd)}</text>`,
  )
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}: reported, and passing every screen">
${grid}
${bars}
</svg>`
}

/** The month is shown on the first label and where it changes, so that the labels fit on a phone. */
function labelOf(date: string, last: string | undefined): string {
  return date.slice(0, 7) === last?.slice(0, 7) ? String(Number(date.slice(8))) : showDay(date)
}

function bar(kind: string, fill: string, x: number, y: number, width: number) {
  const height = round(BASELINE - y)
  return height <= 0
    ? ''
    : html`<rect class="${kind}" x="${x}" y="${round(y)}" width="${width}" height="${height}" fill="${fill}"/>`
}

/** Every date that the window touches, with zeros where the report has none. */
function fillDays(daily: readonly DailyRecord[], { start, end }: ReportWindow): readonly DailyRecord[] {
  const known = new Map(daily.map((day) => [day.date, day]))
  const days: DailyRecord[] = []
  const last = Date.parse(end)
  for (let at = Date.parse(`${start.slice(0, 10)}T00:00:00Z`); at < last; at += 86_400_000) {
    const date = new Date(at).toISOString().slice(0, 10)
    days.push(known.get(date) ?? { date, tx: 0, usd: 0, real_usd: 0 })
  }
  return days
}

/** The smallest of 1, 2, 3, 4, 5, 6, 8 or 10 times a power of ten not below the value: its half is round. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const factor = [1, 2, 3, 4, 5, 6, 8, 10].find((each) => each * power >= value * 0.999_999) ?? 10
  return factor * power
}

function showAxis(usd: number): string {
  const compact = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    notation: 'compact',
    minimumFractionDigits: 0,
    maximumSignificantDigits: 3,
  })
  return compact.format(usd)
}

/** To hundredths of a unit of the drawing. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}
