/** What the service offers and where to find it, for language models (https://llmstxt.org). */
export function renderLlmsText(baseUrl: string): string {
  const merchant = `${baseUrl}/merchants/base/{address}`
  return `# Tollbook reports

> x402 revenue of merchants on Base over seven days: the reported totals, and the real totals, which count only payments that pass every screen. Free, no key. Figures under CC BY 4.0.

A flag is a pattern in public on-chain data, not a finding of wrongdoing. Always quote both figures.
Before you pay a seller: take the payTo address from its 402 response as {address} and read its report.

## Data
- [Ranking](${baseUrl}/merchants.json): merchants by real revenue; parameters sort, order, limit, cursor, week
- [Search](${baseUrl}/search?q=weather): merchants by name, wallet address or words of their endpoints, the best match first
- Report of a merchant: ${merchant}.json (a wallet address; ?week=YYYY-MM-DD for a published week)
- Every payment behind a report: ${merchant}/payments.ndjson or payments.csv
- Published weeks: ${baseUrl}/weeks.json, ${baseUrl}/weeks/{week}.json with every correction; of one merchant: ${merchant}/weeks.json
- Inputs of a report, from which anyone can recompute it: ${merchant}/inputs.json
- Badge of a merchant: ${merchant}/badge.svg (metric=real_usd, real_tx, real_buyers, pass_share or rank; style as on shields.io), badge.json for shields.io
- [Feed of published weeks](${baseUrl}/feed.atom); of one merchant: ${merchant}/feed.atom
- Claim of a merchant (statement, other wallets, signature): ${merchant}/claim.json
- [Method](${baseUrl}/method.json): the rule that defines a payment, the screens with their thresholds, each figure
- [Schema of a report](${baseUrl}/schema/merchant-report-1.json)
- [OpenAPI](${baseUrl}/openapi.json)

Every response has ETag and Last-Modified headers. Send If-None-Match when you poll; a 304 costs next to nothing.

## Write
- POST ${baseUrl}/claims/challenge {address, statement, disclosures}, then POST ${baseUrl}/claims {message, signature}: a merchant claims its report with its wallet's signature
- POST ${baseUrl}/disputes {address, week, contact, text}: a note to the operator

## For people
- [Ranking](${baseUrl}/)
- [How payments are counted and screened](${baseUrl}/methodology)
- [Claim or dispute a report](${baseUrl}/claims)
- [Problem codes](${baseUrl}/problems)
`
}
