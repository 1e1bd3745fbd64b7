import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReportWindow } from '@tollbook/verify/build/merchant-report'
import { renderChart } from './chart.ts'

const WINDOW = {
  start_block: 0,
  end_block: 302_400,
  complete: true,
  start: '2026-11-08T12:00:01+00:00',
  end: '2026-11-15T12:00:01+00:00',
  days: 7,
} satisfies ReportWindow
const DAY = { date: '2026-11-10', tx: 4, usd: 8, real_usd: 2 }

const draw = (daily: readonly (typeof DAY)[], window: ReportWindow = WINDOW) =>
  String(renderChart(daily, window))
const heights = (svg: string, kind: string) =>
  [...svg.matchAll(new RegExp(`<rect class="${kind}"[^>]* height="([\\d.]+)"`, 'g'))].map((match) =>
    Number(match[1]),
  )

test('every date of the window has a slot, including days without payments', () => {
  const svg = draw([DAY])
  assert.deepEqual(
    [...svg.matchAll(/middle">([^<]+)</g)].map((match) => match[1]),
    ['Nov 8', '9', '10', '11', '12', '13', '14', '15'],
  )
})

test('the heights of the passing and reported bars are proportional to their dollars', () => {
  const svg = draw([DAY])
  const [reported = 0] = heights(svg, 'reported')
  const [passing = 0] = heights(svg, 'passing')
  assert.ok(Math.abs(passing / reported - 2 / 8) < 0.001)
  assert.ok(svg.includes('2026-11-10: $8.00 reported, $2.00 passing, 4 payments'))
})

test('a day without passing payments has no passing bar', () => {
  assert.deepEqual(heights(draw([{ ...DAY, real_usd: 0 }]), 'passing'), [])
})

test('a window without payments is drawn without bars', () => {
  const svg = draw([])
  assert.deepEqual(heights(svg, 'reported'), [])
  assert.ok(!svg.includes('NaN'))
})

test('a window that ends at midnight does not touch the day after', () => {
  const window = { ...WINDOW, start: '2026-11-08T00:00:00+00:00', end: '2026-11-15T00:00:00+00:00' }
  assert.equal((draw([], window).match(/class="day"/g) ?? []).length, 7)
})

test('the top of the scale is round and not below the largest day', () => {
  for (const [usd, top] of [
    [9, '$10'],
    [0.07, '$0.08'],
    [1234, '$2K'],
    [2.56, '$3'],
    [1, '$1'],
  ] as const) {
    assert.ok(draw([{ ...DAY, usd }]).includes(`>${top}</text>`), `${usd}`)
  }
})
