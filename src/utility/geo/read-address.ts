import { isIP } from 'node:net'

/**
 * Reads an IP address in any spelling: in brackets, with capitals, with a zone, or as IPv4 inside IPv6
 * (`::ffff:1.2.3.4`, which becomes the IPv4 address); null when it is none.
 */
export function readAddress(text: string): string | null {
  const bare = text.trim().replace(/^\[(.*)\]$/, '$1')
  if (isIP(bare) !== 6) return isIP(bare) === 4 ? bare : null
  const [address = '', zone] = bare.split('%')
  // The parser of URLs writes IPv6 as RFC 5952 asks, and all that is mapped as two groups.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short) ?? []
  if (high === undefined || low === undefined) return zone === undefined ? short : `${short}%${zone}`
  const words = [high, low].map((word) => Number.parseInt(word, 16))
  return words.flatMap((word) => [word >> 8, word & 255]).join('.')
}
