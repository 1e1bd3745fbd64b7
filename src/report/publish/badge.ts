import { makeBadge } from 'badge-maker'
import type { MerchantReport } from '../build/merchant-report.ts'
import { showDollars } from './figures-text.ts'

/** One neutral colour whatever the share: a flag is a pattern, not a finding, so no badge is red. */
const COLOR = '#0b6e5b'
const FROZEN_COLOR = '#6b6b6b'

/** The badge of a merchant as an SVG document: what passed every screen, and its share of what was reported. */
export function renderBadge(report: MerchantReport): string {
  const percent = report.usd === 0 ? 0 : Math.round((100 * report.real_usd) / report.usd)
  return makeBadge({
    label: report.frozen ? `x402, 7 days to ${report.last_seen_week}` : 'x402, 7 days',
    message: `${showDollars(report.real_usd)} real, ${percent}% of reported`,
    color: report.frozen ? FROZEN_COLOR : COLOR,
    style: 'flat',
  })
}
