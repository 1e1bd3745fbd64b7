/** Allowed link schemes; `javascript:`, `data:` and the like are never returned. */
const SAFE = /^(?:https?|mailto|tel|ftp|ftps|irc|xmpp|magnet):/i
const SCHEME = /^[a-z][a-z0-9+.-]*:/i
const MAX_URL_LENGTH = 4_096

/**
 * Resolves a URL against the base, if there is one; null if it is not allowed. Control characters are treated
 * as in browsers, so they cannot hide a scheme.
 */
export function safeUrl(url: string, baseUrl: string | undefined): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop exactly these (URL Standard, 4.4)
  const clean = url.replace(/[\t\n\r]/g, '').replace(/^[\u0000-\u0020]+|[\u0000-\u0020]+$/g, '')
  if (baseUrl === undefined) return SCHEME.test(clean) && UNSAFE.test(clean) ? null : clean
  const resolved = URL.parse(clean, baseUrl)?.href
  return resolved !== undefined && SAFE.test(resolved) && resolved.length <= MAX_URL_LENGTH ? resolved : null
}

/** Schemes refused in markup without a base; there any other scheme is kept as written. */
const UNSAFE = /^(?:javascript|data|vbscript|file|blob):/i

/** The real URL of an image: for lazy loading, pages put a placeholder into `src`. */
export function findImageSource(attribs: Readonly<Record<string, string>>): string {
  const { src = '' } = attribs
  const lazy = attribs['data-src'] ?? attribs['data-original'] ?? attribs['data-lazy-src']
  if (lazy) return lazy
  if (src !== '' && !/^\s*data:/i.test(src)) return src
  const set = attribs.srcset ?? attribs['data-srcset'] ?? ''
  return set.trim().split(/\s+/, 1)[0]?.replace(/,$/, '') || src
}
