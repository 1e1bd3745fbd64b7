/** What a reader may be sent to: `javascript:`, `data:` and their like never leave this service. */
const SAFE = /^(?:https?|mailto|tel|ftp|ftps|irc|xmpp|magnet):/i
const SCHEME = /^[a-z][a-z0-9+.-]*:/i
const MAX_URL_LENGTH = 4_096

/**
 * A URL that may stand in an answer, resolved against a base where there is one; null where none may.
 * Control characters are read as browsers read them, so that no scheme hides behind them.
 */
export function safeUrl(url: string, baseUrl: string | undefined): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop exactly these (URL Standard, 4.4)
  const clean = url.replace(/[\t\n\r]/g, '').replace(/^[\u0000-\u0020]+|[\u0000-\u0020]+$/g, '')
  if (baseUrl === undefined) return SCHEME.test(clean) && UNSAFE.test(clean) ? null : clean
  const resolved = URL.parse(clean, baseUrl)?.href
  return resolved !== undefined && SAFE.test(resolved) && resolved.length <= MAX_URL_LENGTH ? resolved : null
}

/** Of markup without a base, where other schemes are taken for words. */
const UNSAFE = /^(?:javascript|data|vbscript|file|blob):/i

/** Where an image really is: pages put a placeholder into `src` and the picture elsewhere. */
export function findImageSource(attribs: Readonly<Record<string, string>>): string {
  const { src = '' } = attribs
  const lazy = attribs['data-src'] ?? attribs['data-original'] ?? attribs['data-lazy-src']
  if (lazy) return lazy
  if (src !== '' && !/^\s*data:/i.test(src)) return src
  const set = attribs.srcset ?? attribs['data-srcset'] ?? ''
  return set.trim().split(/\s+/, 1)[0]?.replace(/,$/, '') || src
}
