import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import { toSpan } from '@tollbook/verify/build/window'
import { makeBadge } from 'badge-maker'
import { showCount, showSum } from '../figures-text.ts'
import { shareOf, shareOfUsd } from '../share-bar.ts'

export const BADGE_STYLES = ['flat', 'flat-square', 'plastic', 'for-the-badge', 'social'] as const
export type BadgeStyle = (typeof BADGE_STYLES)[number]

export const BADGE_METRICS = ['real_usd', 'real_tx', 'real_buyers', 'pass_share', 'rank'] as const
export type BadgeMetric = (typeof BADGE_METRICS)[number]

/** One neutral colour for any share: a flag is a pattern, not a finding, so no badge is red. */
const COLOR = '#0b6e5b'
const FROZEN_COLOR = '#6b6b6b'

/** The text of a badge. Only the report determines it, because it appears under this service's name. */
export type BadgeText = { readonly label: string; readonly message: string; readonly color: string }

/** The text for one figure of a merchant; it always shows the passing figure next to the reported one. */
export function describeBadge(report: MerchantReport, metric: BadgeMetric): BadgeText {
  return {
    label: `x402, ${toSpan(report.window.days)}${report.frozen ? ` to ${report.last_seen_week}` : ''}`,
    message: messageOf(report, metric),
    color: report.frozen ? FROZEN_COLOR : COLOR,
  }
}

export function renderBadge(report: MerchantReport, metric: BadgeMetric, style: BadgeStyle): string {
  return makeBadge({ ...describeBadge(report, metric), style })
}

function messageOf(report: MerchantReport, metric: BadgeMetric): string {
  const { usd, real_usd, tx, real_tx, buyers, real_buyers, rank_by_real_revenue: rank } = report
  switch (metric) {
    case 'real_usd':
      return `${showSum(real_usd, real_tx)} real, ${percent(shareOfUsd(report))} of reported`
    case 'real_tx':
      return `${showCount(real_tx)} real payments, ${percent(shareOf(real_tx, tx))} of reported`
    case 'real_buyers':
      return `${showCount(real_buyers)} real buyers, ${percent(shareOf(real_buyers, buyers))} of reported`
    case 'pass_share':
      return `${percent(shareOfUsd(report))} of ${showSum(usd, tx)} passes every screen`
    case 'rank':
      return rank === null ? 'no rank' : `#${showCount(rank)} by real revenue`
    default:
      return metric satisfies never
  }
}

function percent(share: number | null): string {
  return share === null ? '–' : `${Math.round(100 * share)}%`
}
