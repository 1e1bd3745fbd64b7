import { html } from 'hono/html'
import type { Markup } from '../../../../catalogue/documents/site-page.ts'
import type { MerchantReport } from '../../../build/merchant-report.ts'
import { BADGE_METRICS, BADGE_STYLES } from '../badge.ts'

/** The badge as it appears on other sites, and the text that embeds it. */
export function renderBadges({ badge: url, page, name }: MerchantReport): Markup {
  const path = new URL(url).pathname
  const alt = `x402 payments of ${name}`
  const snippets = [
    // Square brackets would end the link text early.
    ['Markdown', `[![${alt.replaceAll(/[[\]\\]/g, '\\$&')}](${url})](${page})`],
    ['HTML', `<a href="${page}"><img src="${url}" alt="${alt}" height="20"></a>`],
    ['Image URL', url],
  ]
  const picture = (query: string, description: string) =>
    html`<li><img src="${path}?${query}" alt="${description}" loading="lazy"><code>?${query}</code></li>`
  return html`<section aria-labelledby="badge"><h2 id="badge">Badge</h2>
<p>For a README or a website. The badge is updated with every publication; its colour does not depend on the figure.</p>
<p><img src="${path}" alt="${alt}" height="20"></p>
${snippets.map(([label, text]) => html`<label class="snippet"><span>${label}</span><textarea readonly rows="2" spellcheck="false">${text}</textarea></label>`)}
<details><summary>Other figures and styles</summary>
<p>You can combine both: <code>?metric=rank&amp;style=flat-square</code>. For <a href="https://shields.io/badges/endpoint-badge">shields.io</a>, use <a href="${page}/badge.json">badge.json</a>.</p>
<ul class="badges">${BADGE_METRICS.map((metric) => picture(`metric=${metric}`, `Badge with the figure ${metric}`))}${BADGE_STYLES.map((style) => picture(`style=${style}`, `Badge in the style ${style}`))}</ul></details></section>`
}
