import { html } from 'hono/html'
import { ICON_PATH, PREVIEW_PATH, PREVIEW_SIZE } from './brand.ts'

/** The result of a tagged template of `hono/html`: text in which every value has been escaped. */
export type Markup = ReturnType<typeof html>

export type SitePage = {
  readonly title: string
  readonly description: string
  /** Public URL of this page; absent on pages that search engines should not index. */
  readonly canonical?: string
  /** Image for link previews, 1200x630 pixels: its URL and what it shows; default that of the service. */
  readonly image?: { readonly url: string; readonly alt: string }
  /** Further elements of the head. */
  readonly head?: Markup
  /** The path of the start page, under which style and icon are; default the root. */
  readonly home?: string
  /** What follows the name of the product in the header: the navigation. */
  readonly header: Markup
  readonly main: Markup
  readonly footer: Markup
}

export const STYLE_PATH = '/style.css'

/** A page without inline script or style, or other hosts' content, which its policy forbids. */
export async function renderSitePage(page: SitePage): Promise<string> {
  const { title, description, canonical, head = '', home = '', header, main, footer } = page
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
<link rel="icon" href="${home}${ICON_PATH}" type="image/svg+xml">
<link rel="stylesheet" href="${home}${STYLE_PATH}">
${head}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="site"><div class="wrap">
<a class="brand" href="${home || '/'}"><img src="${home}${ICON_PATH}" alt="" width="22" height="22">Tollbook</a>
${header}
</div></header>
<main id="main" class="wrap">
${main}
</main>
<footer><div class="wrap">
${footer}
</div></footer>
</body>
</html>
`
  return String(await document)
}

function renderPreview({ image, canonical, title }: SitePage): Markup | '' {
  if (!image && canonical === undefined) return ''
  const { url, alt } = image ?? { url: new URL(PREVIEW_PATH, canonical).href, alt: title }
  return html`<meta property="og:image" content="${url}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${PREVIEW_SIZE.width}">
<meta property="og:image:height" content="${PREVIEW_SIZE.height}">
<meta property="og:image:alt" content="${alt}">
<meta name="twitter:card" content="summary_large_image">`
}

/**
 * Headers of every page: it may load its own stylesheet and images, and submit its own forms. It fetches nothing, but
 * tools that judge it fetch `/robots.txt` from within.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
