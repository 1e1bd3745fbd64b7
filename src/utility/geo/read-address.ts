import { isIP } from 'node:net'

/**
 * Parses an IP address in any notation: in brackets, in upper case, with a zone, or IPv4 in IPv6
 * (`::ffff:1.2.3.4`, which becomes the IPv4 address); null if invalid.
 */
export function readAddress(text: string): string | null {
  const bare = text.trim().replace(/^\[(.*)\]$/, '$1')
  if (isIP(bare) !== 6) return isIP(bare) === 4 ? bare : null
  const [address = '', zone] = bare.split('%')
  // The URL parser formats IPv6 as in RFC 5952, and all mapped addresses as two groups.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short) ?? []
  if (high === undefined || low === undefined) return zone === undefined ? short : `${short}%${zone}`
  const words = [high, low].map((word) => Number.parseInt(word, 16))
  return words.flatMap((word) => [word >> 8, word & 255]).join('.')
}
