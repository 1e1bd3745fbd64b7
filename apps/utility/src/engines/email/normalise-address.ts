/** How a provider interprets local parts, according to its help pages. */
type Provider = {
  /** The main domain, of which its other domains are aliases. */
  readonly domain?: string
  /** The separator of a tag that the provider ignores. */
  readonly tag: '+' | '-'
  readonly ignoresDots?: boolean
  /** The form of the local parts that it assigns, without tag and insignificant dots. */
  readonly assigned?: RegExp
}

/** https://support.google.com/mail/answer/9211434: 6 to 30 letters and digits, and dots. */
const GMAIL: Provider = {
  domain: 'gmail.com',
  tag: '+',
  ignoresDots: true,
  assigned: /^[a-z0-9]{6,30}$/,
}
const PLUS: Provider = { tag: '+' }
const YAHOO: Provider = { tag: '-' }
const PROTON: Provider = { tag: '+', ignoresDots: true }

const PROVIDERS: ReadonlyMap<string, Provider> = new Map([
  ...['gmail.com', 'googlemail.com'].map((domain) => [domain, GMAIL] as const),
  ...['outlook.com', 'hotmail.com', 'live.com', 'msn.com', 'icloud.com', 'me.com', 'mac.com'].map(
    (domain) => [domain, PLUS] as const,
  ),
  ...['fastmail.com', 'fastmail.fm', 'zoho.com', 'yandex.com', 'yandex.ru', 'gmx.com', 'mailbox.org'].map(
    (domain) => [domain, PLUS] as const,
  ),
  ...['yahoo.com', 'ymail.com', 'rocketmail.com'].map((domain) => [domain, YAHOO] as const),
  ...['proton.me', 'protonmail.com', 'pm.me'].map((domain) => [domain, PROTON] as const),
])

export type NormalisedAddress = {
  /** The canonical form: two spellings of the same mailbox have the same one. */
  readonly address: string
  /** The local part without its tag. */
  readonly base: string
  readonly tag: string | null
  /** Whether the provider assigns such local parts; true if its rules are not known. */
  readonly isAssignable: boolean
}

/**
 * Normalises an address: lower-case domain, no tag, and for known providers a lower-case local part without
 * insignificant dots, at the provider's main domain. For any other domain the case of the local part is
 * preserved, since only the receiving host may interpret it (RFC 5321 section 2.4).
 */
export function normaliseAddress(local: string, domain: string): NormalisedAddress {
  const provider = PROVIDERS.get(domain)
  const sign = provider?.tag ?? '+'
  const at = local.indexOf(sign, 1)
  const base = at === -1 ? local : local.slice(0, at)
  const tag = at === -1 ? null : local.slice(at + 1)
  const folded = provider ? base.toLowerCase() : base
  const plain = provider?.ignoresDots ? folded.replaceAll('.', '') : folded
  const isAssignable = provider?.assigned?.test(plain) ?? true
  return { address: `${plain}@${provider?.domain ?? domain}`, base, tag, isAssignable }
}
