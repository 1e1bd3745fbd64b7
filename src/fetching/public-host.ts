import { isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/**
 * Names that no public resolver answers, or that mean this machine or its neighbours: RFC 6761 (localhost), RFC 6762
 * (local), RFC 8375 (home.arpa), RFC 9476 (alt), RFC 7686 (onion), and what ICANN keeps for private use (internal)
 * or never hands out because networks use it (corp, home, mail, lan, intranet, private).
 */
const PRIVATE_SUFFIXES: ReadonlySet<string> = new Set([
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'lan',
  'home',
  'corp',
  'private',
  'alt',
  'onion',
  'invalid',
  'test',
])

/**
 * Whether a host as it stands in a parsed URL (`URL.hostname`) may be one of the public web: a public IP address,
 * or a name of two labels or more that is not kept for private networks. What a name resolves to is another matter.
 */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  if (isIP(host) !== 0) return isPublicAddress(host)
  const labels = host.toLowerCase().split('.')
  const last = labels.at(-1) ?? ''
  return (
    labels.length > 1 &&
    !labels.includes('') &&
    !PRIVATE_SUFFIXES.has(last) &&
    !/(^|\.)home\.arpa$/.test(host)
  )
}
