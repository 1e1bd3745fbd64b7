/** How a provider reads local parts; what it says of its own addresses in its help pages. */
type Provider = {
  /** The domain that its other domains stand for. */
  readonly domain?: string
  /** What begins a tag that the provider leaves out of account. */
  readonly tag: '+' | '-'
  readonly ignoresDots?: boolean
}

const GMAIL: Provider = { domain: 'gmail.com', tag: '+', ignoresDots: true }
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
  /** The form under which two spellings of one mailbox are the same. */
  readonly address: string
  /** The local part without a tag. */
  readonly base: string
  readonly tag: string | null
}

/**
 * Brings an address into one form: the domain in lower case, the tag left out, and at known providers the local
 * part in lower case, without dots where they mean nothing, under the provider's main domain. Elsewhere only the
 * receiving host may say what a local part means (RFC 5321 section 2.4), so its letters stay as they are.
 */
export function normaliseAddress(local: string, domain: string): NormalisedAddress {
  const provider = PROVIDERS.get(domain)
  const sign = provider?.tag ?? '+'
  const at = local.indexOf(sign, 1)
  const base = at === -1 ? local : local.slice(0, at)
  const tag = at === -1 ? null : local.slice(at + 1)
  const known = provider ? base.toLowerCase() : base
  const plain = provider?.ignoresDots ? known.replaceAll('.', '') : known
  return { address: `${plain}@${provider?.domain ?? domain}`, base, tag }
}
