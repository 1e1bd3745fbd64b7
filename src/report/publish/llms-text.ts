/** What the service is and where everything lies, for language models (https://llmstxt.org). */
export function renderLlmsText(baseUrl: string): string {
  return `# Tollbook reports

> What merchants on Base are paid over x402 in seven days: the reported totals, and beside them the real totals, which count only payments that pass every screen. Free, no key. Figures under CC BY 4.0.

A flag is a pattern in public on-chain data, not a finding of wrongdoing. Always give both figures.

## Data
- [Ranking](${baseUrl}/merchants.json): merchants by real revenue; parameters sort, limit, cursor, week
- [Search](${baseUrl}/search?q=weather): merchants by name, wallet address or words of their endpoints
- Report of a merchant: ${baseUrl}/merchants/base/{address}.json (a wallet address; ?week=YYYY-MM-DD for a published week)
- Every payment behind a report: ${baseUrl}/merchants/base/{address}/payments.ndjson or payments.csv
- [Method](${baseUrl}/method.json): the rule of a payment, the screens with their thresholds, each figure
- [Schema of a report](${baseUrl}/schema/merchant-report-1.json)
- [OpenAPI](${baseUrl}/openapi.json)

## For people
- [Ranking](${baseUrl}/)
- [How payments are counted and screened](${baseUrl}/methodology)
`
}
