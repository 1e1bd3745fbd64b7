import { html } from 'hono/html'
import { ICON_PATH, PREVIEW_PATH, PREVIEW_SIZE } from '../../../catalogue/documents/brand.ts'
import type { PageFrame } from '../../../catalogue/service.ts'

/** The content of `<main>` and the metadata of the head. */
export type PageContent = {
  readonly title: string
  readonly description: string
  /** Public URL of this page; absent on pages that search engines should not index. */
  readonly canonical?: string
  readonly main: Markup
  /** Image for link previews, 1200x630 pixels: its URL and what it shows; default that of the service. */
  readonly image?: { readonly url: string; readonly alt: string }
  /** The content of the search box. */
  readonly search?: string
  /** The published week that a search covers; absent for the newest window. */
  readonly week?: string | undefined
  /** Whether the figures are of a local chain, whose tokens have no value. */
  readonly isDemo?: boolean
  /** Feed of the page's content; by default the feed of all weeks. */
  readonly feed?: { readonly title: string; readonly path: string }
}

const FEED = { title: 'Published weeks', path: '/feed.atom' }

/** Prevents a reader from taking the demo week for payments on Base. */
const DEMO = html`<p class="note mark"><strong>Demonstration.</strong> This instance runs on a local test chain instead of Base: its merchants are fictitious, and all its dollars are play money.</p>
`

/** The result of a tagged template of `hono/html`: text in which every value has been escaped. */
export type Markup = ReturnType<typeof html>

/**
 * A whole page without script, inline style or content from another host, so that the policy below can forbid
 * all of these.
 */
export async function renderPage(page: PageContent): Promise<string> {
  const { title, description, canonical, main, search = '', feed = FEED } = page
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<meta name="color-scheme" content="light dark">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Tollbook">
${
  canonical === undefined
    ? html`<meta name="robots" content="noindex">`
    : html`<link rel="canonical" href="${canonical}">
<meta property="og:url" content="${canonical}">`
}
${renderPreview(page)}
<link rel="icon" href="${ICON_PATH}" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
<link rel="alternate" type="application/atom+xml" title="${feed.title}" href="${feed.path}">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="site"><div class="wrap">
<a class="brand" href="/"><img src="${ICON_PATH}" alt="" width="22" height="22">Tollbook</a>
<nav aria-label="Site"><a href="/">Ranking</a><a href="/overview">Overview</a><a href="/methodology">Methodology</a></nav>
<form class="search" action="/search" role="search"><input type="search" name="q" value="${search}" aria-label="Host, wallet or endpoint" placeholder="Host, wallet or endpoint" maxlength="200" required>${page.week === undefined ? '' : html`<input type="hidden" name="week" value="${page.week}">`}<button>Search</button></form>
</div></header>
<main id="main" class="wrap">
${page.isDemo ? DEMO : ''}${main}
</main>
<footer><div class="wrap">
<p>Figures come from public on-chain data and may be used under <a href="https://creativecommons.org/licenses/by/4.0/" rel="license">CC BY 4.0</a>. A flag is a pattern, not a finding of wrongdoing.</p>
<ul class="links"><li><a href="/methodology">How payments are counted</a></li><li><a href="/claims">Claim or dispute a report</a></li><li><a href="/merchants.json">Ranking as JSON</a></li><li><a href="/merchants.csv">as CSV</a></li><li><a href="/feed.atom">Feed</a></li><li><a href="/openapi.json">OpenAPI</a></li><li><a href="/llms.txt">llms.txt</a></li></ul>
</div></footer>
</body>
</html>
`
  return String(await document)
}

function renderPreview({ image, canonical, title }: PageContent): Markup | '' {
  if (!image && canonical === undefined) return ''
  const { url, alt } = image ?? { url: new URL(PREVIEW_PATH, canonical).href, alt: title }
  return html`<meta property="og:image" content="${url}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${PREVIEW_SIZE.width}">
<meta property="og:image:height" content="${PREVIEW_SIZE.height}">
<meta property="og:image:alt" content="${alt}">
<meta name="twitter:card" content="summary_large_image">`
}

/** Headers of every page: it may load its own stylesheet and images, and submit its own forms. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The pages that every service has, in the design of this one. */
export function createPageFrame(baseUrl: string): PageFrame {
  return async ({ title, lead, content, path }) => {
    const body = await renderPage({
      title,
      description: title,
      ...(path !== undefined && { canonical: `${baseUrl}${path}` }),
      main: html`<h1>${title}</h1>
<p class="lead">${lead}</p>
${content}`,
    })
    return { body, headers: { 'content-type': 'text/html; charset=utf-8', ...PAGE_HEADERS } }
  }
}
