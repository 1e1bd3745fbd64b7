/**
 * Providers that a mistyped domain probably means; names shorter than nine characters are too similar to
 * others for a guess.
 */
const COMMON_PROVIDERS = [
  'gmail.com',
  'googlemail.com',
  'yahoo.com',
  'yahoo.co.uk',
  'hotmail.com',
  'hotmail.co.uk',
  'outlook.com',
  'icloud.com',
  'proton.me',
  'protonmail.com',
  't-online.de',
  'yandex.com',
  'orange.fr',
  'laposte.net',
  'comcast.net',
  'verizon.net',
  'fastmail.com',
]
/** Real providers that are one letter away from a larger one. */
const SIMILAR_PROVIDERS = ['mail.com', 'email.com', 'ymail.com', 'zmail.com', 'rmail.com']

/** The well-known provider that is one typing error away from a domain; null if there is none. */
export function suggestDomain(domain: string): string | null {
  if (COMMON_PROVIDERS.includes(domain) || SIMILAR_PROVIDERS.includes(domain)) return null
  return COMMON_PROVIDERS.find((provider) => isOneTypoAway(domain, provider)) ?? null
}

/** Whether one letter was omitted, added, replaced, or swapped with its neighbour. */
function isOneTypoAway(typed: string, intended: string): boolean {
  let at = 0
  while (at < typed.length && typed[at] === intended[at]) at += 1
  const [a, b] = [typed.slice(at), intended.slice(at)]
  const isSwapped = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2) && a.length > 1
  return isSwapped || a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1)
}
