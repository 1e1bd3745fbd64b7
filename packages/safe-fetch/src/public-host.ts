import { isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/**
 * Names that no public resolver answers, or that mean this machine or its neighbours: RFC 6761 (localhost),
 * RFC 6762 (local), RFC 8375 (home.arpa), RFC 9476 (alt), RFC 7686 (onion), and those that ICANN reserves for
 * private use (internal) or never delegates because networks use them (corp, home, mail, lan, intranet,
 * private).
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
 * Whether the host of a parsed URL (`URL.hostname`) may be on the public web: a public IP address, or a name
 * of two labels or more that is not reserved for private networks. What the name resolves to is checked
 * elsewhere.
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
