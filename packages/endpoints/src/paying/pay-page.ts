import { BASE } from '@tollbook/chain/network'
import type { PaymentRequirements } from '@tollbook/gate/contract/terms'
import type { Problem } from '@tollbook/http/problem'
import { html } from 'hono/html'
import { buildCurl, quote } from '../documents/call-example.ts'
import { sayPrice } from '../documents/llms-text.ts'
import { renderPage } from '../documents/page-frame.ts'
import type { Markup } from '../documents/site-page.ts'
import { tryPathOf } from '../documents/try-path.ts'
import { renderUnavailable } from '../documents/unavailable-note.ts'
import type { Endpoint } from '../endpoint.ts'
import { unavailabilityOf } from '../routes/read-availability.ts'
import type { RenderedPage, Service } from '../service.ts'
import { renderInputForm, type UrlArguments } from './input-form.ts'

/** The module that the page starts. */
export const SCRIPT_PATH = '/pay/pay.js'

export type PayPage = {
  readonly service: Service
  readonly endpoint: Endpoint
  /** The ways to pay; empty for a free endpoint. */
  readonly terms: readonly Pick<PaymentRequirements, 'scheme'>[]
  readonly fromUrl: UrlArguments
  /** Why a call with the arguments of the URL would be refused. */
  readonly problem?: Problem | null
}

/**
 * The page on which a person fills in the inputs of an endpoint, pays with a wallet of the browser, and reads the
 * answer. Without script it shows the price and how to pay. It must not be cached: it shows arguments of its request.
 */
export async function renderPayPage(page: PayPage): Promise<RenderedPage> {
  const { service, endpoint, terms, fromUrl, problem } = page
  const { id, method, path, summary, description, accepts = 'json' } = endpoint
  const unavailability = unavailabilityOf(service, endpoint)
  const { pricing } = endpoint
  const isFree = pricing.kind === 'free'
  const hasBoth = pricing.kind === 'metered' && pricing.isExactFirst
  const rendered = await renderPage({
    title: `${summary} · ${service.title}`,
    description,
    paidOn: service,
    head: html`<script type="module" src="${SCRIPT_PATH}"></script>`,
    main: html`<h1>${summary}</h1>
<p class="lead">${description}</p>
<p class="claim"><strong>${sayPrice(endpoint)}</strong>${isFree ? '' : ` in USDC on ${(service.network ?? BASE).title} for each call. A refused call is never charged.`}${hasBoth ? ' This page pays the fixed price.' : ''}</p>
<p><span class="tag">${method}</span> <code>${path}</code> · <a href="/#${id}">Documentation</a></p>
${unavailability ? renderUnavailable(unavailability) : ''}${renderProblem(problem)}
<div id="call" data-endpoint="${id}" data-method="${method}" data-path="${path}" data-accepts="${accepts}"${service.demoAccount ? html` data-demo` : ''}${isFree ? html` data-free` : ''}>
<form class="fields panel" action="${encodeURI(path)}" autocomplete="off">
<h2>Inputs</h2>
${renderInputForm(endpoint, fromUrl)}
<p id="pay" class="chips">${isFree ? html`<button>Send</button>` : ''}</p>
${isFree ? '' : renderWays(service, endpoint, terms)}<p id="status" role="status" aria-live="polite"></p>
</form>
</div>
<section id="answer" aria-labelledby="answer-title" tabindex="-1" hidden><h2 id="answer-title">Answer</h2><p id="receipt" class="note"></p><div id="content" class="panel"></div></section>
${renderPrograms(page)}`,
  })
  return {
    ...rendered,
    headers: { ...rendered.headers, 'content-security-policy': POLICY, 'cache-control': 'no-store' },
  }
}

/** What the page shows is made from answers: images and sound from memory, nothing from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; media-src data: blob:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

function renderProblem(problem: Problem | null | undefined): Markup | '' {
  if (!problem?.issues?.length) return ''
  const items = problem.issues.map(
    ({ parameter, detail }) => html`<li><code>${parameter}</code> ${detail}</li>`,
  )
  return html`<div class="note mark"><p>These arguments would be refused:</p><ul>${items}</ul></div>`
}

/** What the wallets of a browser cannot sign, and without script all ways, need a program. */
function renderWays({ endpoints }: Service, { variant }: Endpoint, terms: PayPage['terms']): Markup {
  if (terms.some(({ scheme }) => scheme === 'exact'))
    return html`<noscript><p>Paying on this page needs JavaScript; without it, pay from a program as shown below.</p></noscript>`
  const fixed = endpoints.find(({ id, pricing }) => id === variant?.of && pricing.kind === 'exact')
  const way = terms.some(({ scheme }) => scheme === 'upto')
    ? 'is charged by use, with a signature that only programs make'
    : 'is paid from a payment channel, which only programs open'
  return html`<p id="unpayable">This endpoint ${way}: pay it as shown below.${fixed ? html` <a href="${tryPathOf(fixed, endpoints)}">The same at a fixed price</a> can be paid here.` : ''}</p>`
}

function renderPrograms({ service, endpoint, fromUrl }: PayPage): Markup {
  const { path, method, secrets = [] } = endpoint
  const names = [...new URLSearchParams(fromUrl.query).keys()]
  const isFilled = method === 'GET' && names.length > 0 && !names.some((name) => secrets.includes(name))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(fromUrl.path[name] ?? name))
  const curl = isFilled
    ? `curl ${quote(`${service.baseUrl}${filled}?${fromUrl.query}`)}`
    : buildCurl(service, endpoint)
  return html`<h2>From a program</h2>
<p>With a checkout of Tollbook, this shows the price, asks for confirmation, and pays:</p>
<pre><code>npx node src/main.ts call ${curl.slice('curl '.length)}</code></pre>
<p>Or let a local proxy pay, within a budget, for any program:</p>
<pre><code>npx node src/main.ts proxy --to ${service.baseUrl} --port 4402 --budget 1.00</code></pre>
<pre><code>${curl.replace(service.baseUrl, 'http://127.0.0.1:4402')}</code></pre>
<p class="note">Clients of x402 and MPP pay it as well; <a href="/#pay">how to pay</a>.</p>`
}
