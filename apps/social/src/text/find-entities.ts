import { domainToASCII } from 'node:url'
import { parse } from 'tldts'

/** A part of a text in UTF-16 units, the end exclusive. */
export type TextSpan = { readonly start: number; readonly end: number }

type FoundUrl = TextSpan & { readonly url: string }

const LATIN_ACCENTS = String.raw`\xc0-\xd6\xd8-\xf6\xf8-\xff\u0100-\u024f\u0253\u0254\u0256\u0257\u0259\u025b\u0263\u0268\u026f\u0272\u0289\u028b\u02bb\u0300-\u036f\u1e00-\u1eff`
/** Not within a word or an e-mail address; `RT` may precede it without a space. */
const MENTION = new RegExp(
  String.raw`(?:^|[^a-zA-Z0-9_!#$%&*@＠]|(?:^|[^a-zA-Z0-9_+~.-])(?:rt|RT|rT|Rt):?)(?<name>[@＠]\w{1,20}(?!\w))(?<list>/[a-zA-Z][\w-]{0,24}(?![\w-]))?(?![\w/-]*[@＠]|[${LATIN_ACCENTS}]|://)`,
  'g',
)

/** Characters within words of some scripts, as twitter-text allows them in hashtags. */
const JOINERS = String.raw`_\u200c\u200d\ua67e\u05be\u05f3\u05f4\uff5e\u301c\u309b\u309c\u30a0\u30fb\u3003\u0f0b\u0f0c\u00b7`
const LETTER = String.raw`\p{L}\p{M}`
const WORD = String.raw`[${LETTER}\p{Nd}${JOINERS}]`
/** At least one letter, not the start of a keycap emoji, and not preceded by a word or an HTML entity. */
const HASHTAG = new RegExp(
  String.raw`(?<=^|[\ufe0e\ufe0f]|(?!${WORD}|&)[\s\S])[#＃](?!\ufe0f|\u20e3)(?<tag>${WORD}*[${LETTER}]${WORD}*)(?!${WORD})(?![#＃]|://)`,
  'gu',
)

/** Direction marks, spaces, control characters and punctuation are not part of a name. */
const SIGN = String.raw`[^\s!"#$%&'()*+,\-./:;<=>?@\[\]^_\x60{|}~\x00-\x1f\x7f\u2013\u2018-\u201f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u202a-\u202e\u2066-\u2069\u061c\u200e\u200f\ufffe\ufeff\uffff\u00a0\u00ab\u00bb\u2026]`
/** Labels and what follows the last dot; `findTopLevel` decides where the name ends. */
const NAME = String.raw`(?:${SIGN}(?:[_-]*${SIGN})*\.)+${SIGN}`
const ASCII_LABELS = new RegExp(String.raw`(?:[-a-z0-9${LATIN_ACCENTS}]+\.)+`, 'giu')
/** The name must not continue after it. Words of other scripts may follow one of them without a space. */
const TOP_LEVEL = /(?:xn--[-0-9a-z]+|[a-z]+|[^\0-\x7f]+)(?=[^0-9a-z@+-]|$)/iy
/** Longer than any top-level domain beyond ASCII. */
const MAX_INTERNATIONAL = 24

const GENERAL = String.raw`[a-z\u0400-\u04ff0-9!*';:=+,.$/%#\[\]\-\u2013_~@|&${LATIN_ACCENTS}]`
const PARENTHESES = String.raw`\((?:${GENERAL}+|${GENERAL}*\(${GENERAL}+\)${GENERAL}*)\)`
const ENDING = String.raw`(?:[+\-a-z\u0400-\u04ff0-9=_#/${LATIN_ACCENTS}]|${PARENTHESES})`
const PATH = `(?:${GENERAL}*(?:${PARENTHESES}${GENERAL}*)*${ENDING}|@${GENERAL}+/)`
const QUERY = String.raw`\?[a-z0-9!?*'@();:&=+$/%#\[\]\-_.,~|]*[a-z0-9\-_&=#/]`
const URL_LIKE = new RegExp(
  String.raw`(?<=^|[^a-z0-9@＠$#＃\ufffe\ufeff\uffff])(?<protocol>https?://)?(?<name>${NAME})`,
  'giu',
)
const AFTER_DOMAIN = new RegExp(String.raw`(?::\d+)?(?<path>/${PATH}*)?(?:${QUERY})?`, 'iuy')
const SHORTENED =
  /^https?:\/\/t\.co\/(?<slug>[a-z0-9]+)(?:\?[a-z0-9!?*'();:&=+$/%#[\]\-_.,~|]*[a-z0-9\-_&=#/])?/i
const MAX_SLUG_LENGTH = 40
/** https://github.com/twitter/twitter-text, `isValidUrl`. */
const MAX_URL_LENGTH = 4096

/**
 * Equivalent to `text.matchAll`. That copies the expression for each text, which takes 40 microseconds for a
 * long one, many times longer than matching.
 * @param expression has the flag `g`, and never matches an empty string.
 */
function allMatches(expression: RegExp, text: string): RegExpExecArray[] {
  const found: RegExpExecArray[] = []
  expression.lastIndex = 0
  for (let match = expression.exec(text); match; match = expression.exec(text)) found.push(match)
  return found
}

/** The usernames that a text mentions according to twitter-text, in order. */
export function findMentions(text: string): string[] {
  // The name of a list does not mention its owner.
  return allMatches(MENTION, text).flatMap(({ groups }) =>
    groups?.list === undefined ? [groups?.name?.slice(1) ?? ''] : [],
  )
}

/**
 * The hashtags of a text according to twitter-text, in order; the span includes the `#`; those within URLs are
 * excluded.
 */
export function findHashtags(text: string): (TextSpan & { readonly tag: string })[] {
  const found = allMatches(HASHTAG, text).map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    tag: match.groups?.tag ?? '',
  }))
  if (found.length === 0) return found
  const urls = findUrls(text)
  return found.filter(({ start, end }) => urls.every((url) => end <= url.start || start >= url.end))
}

/**
 * The URLs of a text according to twitter-text, in order; without a protocol only ASCII names. A name has a
 * top-level domain of ICANN.
 */
export function findUrls(text: string): FoundUrl[] {
  const found: FoundUrl[] = []
  URL_LIKE.lastIndex = 0
  for (let match = URL_LIKE.exec(text); match; match = URL_LIKE.exec(text)) {
    const { protocol = '', name = '' } = match.groups ?? {}
    const domainStart = match.index + protocol.length
    const domainEnd = findTopLevel(text, { start: domainStart, end: domainStart + name.length })
    if (domainEnd === null) {
      // A protocol may follow the last dot.
      URL_LIKE.lastIndex = domainStart + name.lastIndexOf('.') + 1
      continue
    }
    AFTER_DOMAIN.lastIndex = domainEnd
    const after = AFTER_DOMAIN.exec(text)
    const end = domainEnd + (after?.[0].length ?? 0)
    URL_LIKE.lastIndex = end
    const domain = text.slice(domainStart, domainEnd)
    if (protocol !== '') found.push(...findWithProtocol(text.slice(match.index, end), match.index, domain))
    else if (!/[-_./]/.test(text.charAt(match.index - 1))) {
      const domains = findAsciiDomains(domain, domainStart)
      const last = domains.at(-1)
      // The path belongs to the last of several adjacent names.
      if (last && after?.groups?.path && last.end === domainEnd)
        domains.splice(-1, 1, { start: last.start, end, url: text.slice(last.start, end) })
      found.push(...domains.filter((one) => isResolvable(one.url.split(/[/?:]/)[0] ?? '')))
    }
  }
  return found
}

/** The ASCII names within a name in which words of other scripts touch them. */
function findAsciiDomains(domain: string, offset: number): FoundUrl[] {
  const found: FoundUrl[] = []
  ASCII_LABELS.lastIndex = 0
  for (let match = ASCII_LABELS.exec(domain); match; match = ASCII_LABELS.exec(domain)) {
    const { index: start } = match
    const end = findTopLevel(domain, { start, end: start + match[0].length })
    if (end === null) continue
    ASCII_LABELS.lastIndex = end
    found.push({ start: offset + start, end: offset + end, url: domain.slice(start, end) })
  }
  return found
}

/**
 * The end of the last top-level domain of ICANN that follows a dot of a span; null without one. The label before
 * the dot has no underscore.
 */
function findTopLevel(text: string, { start, end }: TextSpan): number | null {
  for (let dot = text.lastIndexOf('.', end - 1); dot > start; dot = text.lastIndexOf('.', dot - 1)) {
    const label = text.slice(Math.max(start, text.lastIndexOf('.', dot - 1) + 1), dot)
    if (label.includes('_')) continue
    TOP_LEVEL.lastIndex = dot + 1
    const [word = ''] = TOP_LEVEL.exec(text) ?? []
    const isInternational = !/^[\0-\x7f]/.test(word)
    let length = isInternational ? Math.min(word.length, MAX_INTERNATIONAL) : word.length
    const minLength = isInternational ? 1 : word.length
    for (; length >= minLength && length > 0; length--)
      if (isTopLevel(label, word.slice(0, length))) return dot + 1 + length
  }
  return null
}

/** @param label the one before, since of some countries only domains of the second level are on ICANN's list */
function isTopLevel(label: string, word: string): boolean {
  if (/^xn--/i.test(word)) return true
  const name = `${label}.${word}`.toLowerCase()
  return parse(name, { extractHostname: false, validateHostname: false }).isIcann === true
}

function findWithProtocol(url: string, start: number, domain: string): FoundUrl[] {
  const short = SHORTENED.exec(url)
  if (short && (short.groups?.slug?.length ?? 0) > MAX_SLUG_LENGTH) return []
  const taken = short?.[0] ?? url
  if (taken.length > MAX_URL_LENGTH || !isResolvable(domain)) return []
  return [{ start, end: start + taken.length, url: taken }]
}

/** Whether a name is a valid DNS name: each label has at most 63 ASCII characters (RFC 1035, 2.3.4). */
function isResolvable(domain: string): boolean {
  const ascii = domainToASCII(domain)
  return ascii !== '' && ascii.split('.').every((label) => label.length <= 63)
}
