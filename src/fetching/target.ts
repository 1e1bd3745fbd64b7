import { isIP } from 'node:net'
import { BlockedTarget } from './failure.ts'
import { isPublicAddress } from './public-address.ts'

/** Longer URLs are refused by common servers (RFC 9110 section 4.1 asks for at least 8,000; crawlers stop near 2,048). */
const LONGEST_URL = 2048
/** Ports on which the public web answers; others belong to protocols that could be fooled by an HTTP request. */
const WEB_PORTS = new Set(['', '80', '443', '8080', '8443'])

export type TargetRules = {
  /** Lets private and special addresses, and every port, be reached. */
  readonly allowPrivateNetwork: boolean
  /** Whether an IP address may be reached otherwise; default `isPublicAddress`. */
  readonly isReachable?: (address: string) => boolean
  /** Ports that may be reached otherwise, as in `URL.port`; default those of the web. */
  readonly ports?: ReadonlySet<string>
}

/**
 * Reads a URL that someone else named. Its host may still be a name whose addresses have to be checked.
 * @throws BlockedTarget when it is no http(s) URL, carries credentials, is longer than 2,048 characters, or
 * names by port or IP literal (in any spelling: octal, hexadecimal, one number) what may not be reached.
 */
export function parseTarget(text: string, rules: TargetRules): URL {
  if (text.length > LONGEST_URL) throw new BlockedTarget(`the URL is longer than ${LONGEST_URL} characters`)
  const url = URL.parse(text)
  if (!url) throw new BlockedTarget('this is no URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new BlockedTarget('only http and https can be fetched')
  }
  if (url.username !== '' || url.password !== '') throw new BlockedTarget('a URL may carry no credentials')
  url.hash = ''
  if (!rules.allowPrivateNetwork && !(rules.ports ?? WEB_PORTS).has(url.port)) {
    throw new BlockedTarget(`port ${url.port} is not a port of the web`)
  }
  // The connection resolves no name for a literal, so no lookup would ever see it.
  const literal = literalOf(url)
  if (literal !== null && !mayReach(literal, rules)) throw new BlockedTarget('the address is not public')
  return url
}

/** Whether the rules let a connection go to this IP address. */
export function mayReach(address: string, { allowPrivateNetwork, isReachable }: TargetRules): boolean {
  return allowPrivateNetwork || (isReachable ?? isPublicAddress)(address)
}

/** The IP address that stands as the URL's host, without brackets; null for a name. */
function literalOf(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? null : host
}
