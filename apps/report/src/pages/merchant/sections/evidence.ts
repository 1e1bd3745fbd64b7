import type { Markup } from '@tollbook/endpoints/documents/site-page'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import { isGroupKey } from '@tollbook/verify/published/group-key'
import { html } from 'hono/html'
import { showCount, showTime } from '../../figures-text.ts'

export type EvidenceSection = {
  readonly report: MerchantReport
  /** `?week=…` of a published week, empty for the newest window. */
  readonly query: string
  /** Version of the method by which this window was computed. */
  readonly method: string
  readonly rpcUrl: string
}

/** Where to download every payment, and how to recompute each figure. */
export function renderEvidence({ report, query, method, rpcUrl }: EvidenceSection): Markup {
  const { address, page, window, generated_at, license } = report
  return html`<section aria-labelledby="evidence"><h2 id="evidence">Evidence</h2>
<p>Every payment of the window with its transaction, verdict and flag, so that you can add up each figure yourself. Payments below the <code>floor</code> of the inputs (in micro-USDC) are in the dollars, but not in the counts.</p>
<ul class="links">${isGroupKey(address) ? '' : html`<li><a href="${page}/payments.csv${query}" download>payments.csv</a></li><li><a href="${page}/payments.ndjson${query}" download>payments.ndjson</a></li>`}<li><a href="${page}.json${query}">This report as JSON</a></li><li><a href="${page}/inputs.json${query}">Inputs of this report</a></li><li><a href="/schema/merchant-report-1.json">JSON Schema</a></li></ul>
<h3 id="verify">Recompute this report</h3>
<p>With a checkout of Tollbook and any RPC node of the chain, this command reads the payments again and lists every figure that differs:</p>
<pre tabindex="0" role="region" aria-labelledby="verify"><code>npx node src/main.ts verify "${page}.json${query}" --rpc ${rpcUrl}</code></pre>
<dl><dt>Window</dt><dd>${showTime(window.start)} to ${showTime(window.end)}</dd><dt>Blocks</dt><dd>${showCount(window.start_block)} up to, not including, ${showCount(window.end_block)}</dd><dt>Method</dt><dd><a href="/methodology">version ${method}</a></dd><dt>Generated</dt><dd>${showTime(generated_at)}</dd><dt>Licence</dt><dd><a href="${license}" rel="license">CC BY 4.0</a></dd></dl></section>`
}
