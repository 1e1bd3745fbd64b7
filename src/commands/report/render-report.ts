import type { MerchantReport } from '../../report/build/merchant-report.ts'

/** Formats a report for a terminal. */
export function renderReport(report: MerchantReport): string {
  const { window, paid } = report
  const flags = Object.entries(report.flags).map(([kind, { tx, usd }]) => [kind, String(tx), toUsd(usd)])
  const days = report.daily.map((day) => [day.date, String(day.tx), toUsd(day.usd), toUsd(day.real_usd)])
  const offers = report.bazaar_listings.map((listing) => [`$${listing.price_usd}`, listing.resource])
  return [
    report.claim,
    '',
    `${report.address}  blocks ${window.start_block} to ${window.end_block}${window.complete ? '' : ', not final yet'}`,
    `${window.start} to ${window.end}`,
    '',
    renderColumns([
      ['', 'reported', 'real'],
      ['payments', String(report.tx), String(report.real_tx)],
      ['dollars', toUsd(report.usd), toUsd(report.real_usd)],
      ['buyers', String(report.buyers), String(report.real_buyers)],
    ]),
    '',
    `a payment: median $${paid.median}, quartiles $${paid.p25} and $${paid.p75}, median of passing $${paid.median_passing}`,
    `largest buyer: ${(report.top_buyer_share * 100).toFixed(2)}% of the dollars`,
    '',
    flags.length === 0
      ? 'No payment is flagged.'
      : renderColumns([['flag', 'payments', 'dollars'], ...flags]),
    ...(flags.length === 0 ? [] : [report.flag_note]),
    '',
    renderColumns([['day', 'payments', 'dollars', 'real'], ...days]),
    ...(offers.length === 0 ? [] : ['', renderColumns([['price', 'endpoint'], ...offers])]),
    '',
  ].join('\n')
}

function toUsd(dollars: number): string {
  return `$${dollars.toFixed(2)}`
}

/** The first column is left-aligned, the others right-aligned; text at the end of a line is not padded. */
function renderColumns(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.length ?? 0
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  )
  const isText = (at: number) => at === 0 || (at === columns - 1 && rows[0]?.[at] === 'endpoint')
  return rows
    .map((row) =>
      row
        .map((cell, at) => (isText(at) ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
