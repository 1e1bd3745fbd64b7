/**
 * Providers that a mistyped domain probably means; names shorter than nine characters are too similar to
 * others for a guess.
 */
const LIKELY = [
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
const NEIGHBOURS = ['mail.com', 'email.com', 'ymail.com', 'zmail.com', 'rmail.com']

/** The well-known provider that is one typing error away from a domain; null if there is none. */
export function suggestDomain(domain: string): string | null {
  if (LIKELY.includes(domain) || NEIGHBOURS.includes(domain)) return null
  return LIKELY.find((likely) => isOneSlip(domain, likely)) ?? null
}

/** Whether one letter was omitted, added, replaced, or swapped with its neighbour. */
function isOneSlip(typed: string, meant: string): boolean {
  let at = 0
  while (at < typed.length && typed[at] === meant[at]) at += 1
  const [a, b] = [typed.slice(at), meant.slice(at)]
  const isSwapped = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2) && a.length > 1
  return isSwapped || a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1)
}
