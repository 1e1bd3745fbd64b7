import { BASE, type Network } from '@tollbook/chain/network'
import { html } from 'hono/html'
import type { Endpoint } from '../endpoint.ts'
import { takesPostRead } from '../routes/path-routes.ts'
import { unavailabilityOf } from '../routes/read-availability.ts'
import { MCP_PATH, type RenderedPage, type Service } from '../service.ts'
import { buildCurl, showAnswer } from './call-example.ts'
import { listingPrice } from './listing.ts'
import { sayPrice } from './llms-text.ts'
import { renderPage } from './page-frame.ts'
import { listParameters } from './parameters.ts'
import type { Markup } from './site-page.ts'
import { tryPathOf } from './try-path.ts'
import { renderUnavailable } from './unavailable-note.ts'
import { groupVariants, type Offered } from './variants.ts'

/** The page at `/`: how to pay, and every endpoint with price, parameters, example and limits. */
export function renderDocsPage(service: Service): Promise<RenderedPage> {
  const byPrice = [...service.endpoints].sort((a, b) => Number(listingPrice(a)) - Number(listingPrice(b)))
  const offered = groupVariants(byPrice)
  const { network = BASE } = service
  const isPaid = byPrice.some(({ pricing }) => pricing.kind !== 'free')
  return renderPage({
    title: service.title,
    description: service.description,
    canonical: `${service.baseUrl}/`,
    paidOn: service,
    main: html`<h1>${service.title}</h1>
<p class="lead">${service.description}</p>
${isPaid ? renderIntro(network) : ''}${renderTable(service, offered)}${isPaid ? renderHowToPay(service, byPrice) : ''}
${offered.map((each) => renderEndpoint(service, each))}`,
  })
}

const renderIntro = ({
  title,
}: Network) => html`<p class="intro"><a href="https://www.x402.org/">x402</a> lets a program pay for a single web request: the service answers 402 with its price, the caller signs a payment in USDC, digital dollars on the chain ${title}, and repeats the request. No account, no key. A refused call is never charged.</p>
`

function renderTable(service: Service, offered: readonly Offered[]): Markup {
  const unavailable = offered.filter(({ endpoint }) => unavailabilityOf(service, endpoint))
  const note =
    unavailable.length > 0
      ? html`<p><span class="mark">${unavailable.length} of ${offered.length}</span> are currently unavailable. They are marked, and their sections explain why; calls of them are refused before any payment.</p>`
      : ''
  return html`<h2 id="endpoints">Endpoints</h2>${note}<div class="scroll"><table class="endpoints"><thead><tr><th>Price</th><th>Call</th><th>Returns</th></tr></thead><tbody>
${offered.map(
  ({ endpoint, variants }) =>
    html`<tr><td class="price">${sayPrice(endpoint)}</td><td><a href="#${endpoint.id}"><code>${endpoint.method} ${endpoint.path}</code></a></td><td>${endpoint.summary}${renderMark(service, endpoint)}${renderVariantLinks(variants)}</td></tr>`,
)}</tbody></table></div>`
}

function renderVariantLinks(variants: readonly Endpoint[]): Markup | '' {
  if (variants.length === 0) return ''
  const links = variants.map(
    (variant, at) => html`${at > 0 ? ' · ' : ''}<a href="#${variant.id}">${variant.variant?.name}</a>`,
  )
  return html`<br><span class="muted">also ${links}</span>`
}

function renderMark(service: Service, endpoint: Endpoint): Markup | '' {
  const unavailability = unavailabilityOf(service, endpoint)
  return unavailability ? html` <span class="tag mark">${unavailability.short}</span>` : ''
}

function renderHowToPay(service: Service, endpoints: readonly Endpoint[]): Markup {
  const first = endpoints.find(({ method, pricing }) => method === 'GET' && pricing.kind !== 'free')
  const url = first ? buildCurl(service, first).slice("curl '".length, -1) : `${service.baseUrl}/`
  return html`<h2 id="pay">How to pay</h2>
<pre><code>import { x402Client, wrapFetchWithPayment } from '@x402/fetch'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { privateKeyToAccount } from 'viem/accounts'

const account = privateKeyToAccount(buyerKey) // 0x and 64 hex digits
const client = new x402Client().register('${(service.network ?? BASE).id}', new ExactEvmScheme(account))
const pay = wrapFetchWithPayment(fetch, client)

const answer = await pay('${url}')
console.log(await answer.json())</code></pre>
<p>In a shell, with a checkout of Tollbook: <code>npx node src/main.ts call</code> takes <code>-X</code>, <code>-H</code>, <code>-d</code> and <code>-F</code> as curl does, shows the price, asks, and pays. In the examples below use it instead of <code>curl</code>, which gets a 402.</p>
${service.tools ? html`<p>Agents: <code>${service.baseUrl}${MCP_PATH}</code> is an MCP server with the same endpoints as tools; a tool call is paid in <code>_meta</code>, as <code>@x402/mcp</code> does.</p>` : ''}<p>By hand: an unpaid call answers 402 with the payment requirements in <code>PAYMENT-REQUIRED</code> (base64 of JSON). Sign them, send the call again with <code>PAYMENT-SIGNATURE</code>; the answer carries <code>PAYMENT-RESPONSE</code> with the transaction.</p>`
}

function renderEndpoint(service: Service, offered: Offered): Markup {
  const { endpoint } = offered
  const sharing = service.endpoints.filter((other) => other.path === endpoint.path)
  const post = takesPostRead(endpoint, sharing) ? html`, or POST with the same fields as JSON` : ''
  const { bodyBytes, timeoutMs } = endpoint.limits
  const body = bodyBytes > 0 ? `, body up to ${sayBytes(bodyBytes)}` : ''
  const unavailability = unavailabilityOf(service, endpoint)
  return html`<section id="${endpoint.id}"><h2 class="endpoint"><code>${endpoint.path}</code></h2>
<p><span class="tag">${endpoint.method}</span>${post} · <strong>${sayPrice(endpoint)}</strong> · <a href="${tryPathOf(endpoint, service.endpoints)}">Try it</a></p>
${unavailability ? renderUnavailable(unavailability) : ''}<p>${endpoint.description}</p>${renderVariants(service, offered)}${renderParameters(endpoint)}
<h3>Example</h3><pre><code>${buildCurl(service, endpoint)}</code></pre><details><summary>Answer</summary><pre><code>${showAnswer(endpoint)}</code></pre></details>
<p class="muted">Limits: ${timeoutMs / 1000} s${body}${sayScope(endpoint)}.</p></section>`
}

function renderVariants(service: Service, { endpoint, variants }: Offered): Markup | '' {
  if (variants.length === 0) return ''
  return html`<h3>Also</h3><p>The same parameters and answers, under another path or at another price:</p><div class="scroll"><table class="endpoints"><thead><tr><th>Price</th><th>Call</th><th>Difference</th></tr></thead><tbody>
${variants.map((variant, at) => {
  const isTold = (variants[at - 1] ?? endpoint).description === variant.description
  const further =
    isTold || variant.description === endpoint.description ? '' : html`<br>${variant.description}`
  const mark = unavailabilityOf(service, endpoint) ? '' : renderMark(service, variant)
  return html`<tr id="${variant.id}"><td class="price">${sayPrice(variant)}</td><td><code>${variant.method} ${variant.path}</code></td><td>${variant.variant?.name}${mark}${further}</td></tr>`
})}</tbody></table></div>`
}

function renderParameters(endpoint: Endpoint): Markup {
  const parameters = listParameters(endpoint)
  if (parameters.length === 0) return html`<p class="muted">No parameters.</p>`
  return html`<div class="scroll"><table class="endpoints"><thead><tr><th>Parameter</th><th>Accepts</th><th>Default</th><th>Meaning</th></tr></thead><tbody>
${parameters.map(
  ({ name, takes, isRequired, standard, description }) =>
    html`<tr><td><code>${name}</code></td><td>${takes}</td><td>${isRequired ? 'required' : (standard ?? '')}</td><td>${description}</td></tr>`,
)}</tbody></table></div>`
}

function sayBytes(count: number): string {
  if (count >= 1024 * 1024) return `${Math.floor((count / 1024 / 1024) * 10) / 10} MiB`
  return count >= 1024 ? `${Math.floor((count / 1024) * 10) / 10} KiB` : `${count} bytes`
}

function sayScope({ scope = 'public' }: Endpoint): string {
  if (typeof scope === 'function') return '; an answer about the caller is replayed only to the paying wallet'
  if (scope === 'wallet') return '; works on the paying wallet’s own data'
  return scope === 'session' ? '; acts as the account of the session' : ''
}
