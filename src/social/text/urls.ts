import { domainToASCII } from 'node:url'
import TLDS from 'tlds' with { type: 'json' }
import { allMatches } from './all-matches.ts'
import { LATIN_ACCENTS } from './mentions.ts'
import type { TextSpan } from './text-span.ts'

/** Direction marks, spaces, control characters and punctuation are not part of a name. */
const SIGN = String.raw`[^\s!"#$%&'()*+,\-./:;<=>?@\[\]^_\x60{|}~\x00-\x1f\x7f\u2013\u2018-\u201f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u202a-\u202e\u2066-\u2069\u061c\u200e\u200f\ufffe\ufeff\uffff\u00a0\u00ab\u00bb\u2026]`
/** IANA's top-level domains, longest first; the name must not continue after one. */
const TLD = String.raw`(?:(?:${[...TLDS].sort((one, other) => other.length - one.length).join('|')}|xn--[-0-9a-z]+)(?=[^0-9a-zA-Z@+-]|$))`
const DOMAIN = String.raw`(?:(?:${SIGN}(?:[_-]|${SIGN})*)?${SIGN}\.)*(?:${SIGN}(?:-|${SIGN})*)?${SIGN}\.${TLD}`
const ASCII_DOMAIN = new RegExp(String.raw`(?:[-a-z0-9${LATIN_ACCENTS}]+\.)+${TLD}`, 'giu')

const GENERAL = String.raw`[a-z\u0400-\u04ff0-9!*';:=+,.$/%#\[\]\-\u2013_~@|&${LATIN_ACCENTS}]`
const PARENTHESES = String.raw`\((?:${GENERAL}+|${GENERAL}*\(${GENERAL}+\)${GENERAL}*)\)`
const ENDING = String.raw`(?:[+\-a-z\u0400-\u04ff0-9=_#/${LATIN_ACCENTS}]|${PARENTHESES})`
const PATH = String.raw`(?:${GENERAL}*(?:${PARENTHESES}${GENERAL}*)*${ENDING}|@${GENERAL}+/)`
const QUERY = String.raw`\?[a-z0-9!?*'@();:&=+$/%#\[\]\-_.,~|]*[a-z0-9\-_&=#/]`
const URL_LIKE = new RegExp(
  String.raw`(?<=^|[^a-z0-9@＠$#＃\ufffe\ufeff\uffff])(?<protocol>https?://)?(?<domain>${DOMAIN})(?<port>:\d+)?(?<path>/${PATH}*)?(?<query>${QUERY})?`,
  'giu',
)
const SHORTENED =
  /^https?:\/\/t\.co\/(?<slug>[a-z0-9]+)(?:\?[a-z0-9!?*'();:&=+$/%#[\]\-_.,~|]*[a-z0-9\-_&=#/])?/i
const MAX_SLUG_LENGTH = 40
/** https://github.com/twitter/twitter-text, `isValidUrl`. */
const MAX_URL_LENGTH = 4096

type FoundUrl = TextSpan & { readonly url: string }

/** The URLs of a text, in order; without a protocol only ASCII names with a top-level domain of IANA. */
export function findUrls(text: string): FoundUrl[] {
  return allMatches(URL_LIKE, text).flatMap((match) => {
    const { protocol, domain = '', path } = match.groups ?? {}
    const { 0: url, index } = match
    if (protocol) return findWithProtocol(url, index, domain)
    if (/[-_./]$/.test(text.slice(0, index))) return []
    const domains = allMatches(ASCII_DOMAIN, domain).map(({ 0: name, index: at }) => ({
      start: index + at,
      end: index + at + name.length,
      url: name,
    }))
    const last = domains.at(-1)
    // The path belongs to the last of several adjacent names.
    if (last && path && last.end === index + domain.length)
      domains.splice(-1, 1, {
        start: last.start,
        end: index + url.length,
        url: text.slice(last.start, index + url.length),
      })
    return domains.filter((one) => isResolvable(one.url.split(/[/?:]/)[0] ?? ''))
  })
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
