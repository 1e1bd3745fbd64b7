import { isIP } from 'node:net'
import { BlockedTarget } from '@tollbook/flow/failure'
import { isPublicAddress } from './public-address.ts'
import { isPublicHost } from './public-host.ts'

/** Common servers reject longer URLs (RFC 9110 section 4.1 recommends at least 8,000; crawlers stop near 2,048). */
const MAX_URL_LENGTH = 2048
/** Ports of the public web; others belong to protocols that an HTTP request could attack. */
const WEB_PORTS = new Set(['', '80', '443', '8080', '8443'])

export type TargetRules = {
  /** Allows private and special addresses, names of private networks, and every port. */
  readonly allowPrivateNetwork: boolean
  /** Whether an IP address may be reached otherwise; default `isPublicAddress`. */
  readonly isReachable?: (address: string) => boolean
  /** Ports that may be reached otherwise, as in `URL.port`; default those of the web. */
  readonly ports?: ReadonlySet<string>
  /**
   * Hosts that are never reached, as in `URL.hostname`: the operator's own, so that no call can call the
   * service itself.
   */
  readonly refusedHosts?: ReadonlySet<string>
}

/**
 * Parses a URL from untrusted input. Its host may still be a name whose addresses have to be checked.
 * @throws BlockedTarget if it is not an http(s) URL, contains credentials, is longer than 2,048 characters,
 * or its host, port or IP literal (in any spelling: octal, hexadecimal, one number) must not be reached.
 */
export function parseTarget(text: string, rules: TargetRules): URL {
  if (text.length > MAX_URL_LENGTH)
    throw new BlockedTarget(`the URL is longer than ${MAX_URL_LENGTH} characters`)
  const url = URL.parse(text)
  if (!url) throw new BlockedTarget('this is not a URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new BlockedTarget('only http and https can be fetched')
  }
  if (url.username !== '' || url.password !== '')
    throw new BlockedTarget('a URL must not contain credentials')
  url.hash = ''
  // Percent-encoding makes a URL longer than its text.
  if (url.href.length > 3 * MAX_URL_LENGTH) throw new BlockedTarget('the URL is too long')
  if (rules.refusedHosts?.has(url.hostname.replace(/\.$/, ''))) {
    throw new BlockedTarget('a host of this service itself cannot be fetched')
  }
  if (rules.allowPrivateNetwork) return url
  if (!(rules.ports ?? WEB_PORTS).has(url.port)) {
    throw new BlockedTarget(`port ${url.port} is not a web port`)
  }
  // The connection resolves no name for a literal, so no lookup would ever see it.
  const host = hostOf(url)
  if (isIP(host) === 0 ? !isPublicHost(host) : !mayReach(host, rules)) {
    throw new BlockedTarget('the address is not public')
  }
  return url
}

/** Whether the rules allow a connection to this IP address. */
export function mayReach(address: string, { allowPrivateNetwork, isReachable }: TargetRules): boolean {
  return allowPrivateNetwork || (isReachable ?? isPublicAddress)(address)
}

/** The host of a URL: a name, or an IP address without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}
