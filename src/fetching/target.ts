import { isIP } from 'node:net'
import { BlockedTarget } from './failure.ts'
import { isPublicAddress } from './public-address.ts'
import { isPublicHost } from './public-host.ts'

/** Longer URLs are refused by common servers (RFC 9110 section 4.1 asks for at least 8,000; crawlers stop near 2,048). */
const MAX_URL_LENGTH = 2048
/** Ports on which the public web answers; others belong to protocols that could be fooled by an HTTP request. */
const WEB_PORTS = new Set(['', '80', '443', '8080', '8443'])

export type TargetRules = {
  /** Lets private and special addresses, names of private networks, and every port be reached. */
  readonly allowPrivateNetwork: boolean
  /** Whether an IP address may be reached otherwise; default `isPublicAddress`. */
  readonly isReachable?: (address: string) => boolean
  /** Ports that may be reached otherwise, as in `URL.port`; default those of the web. */
  readonly ports?: ReadonlySet<string>
  /** Hosts that are never reached, as in `URL.hostname`: the operator's own, so that no call can call itself. */
  readonly refusedHosts?: ReadonlySet<string>
}

/**
 * Reads a URL that someone else named. Its host may still be a name whose addresses have to be checked.
 * @throws BlockedTarget when it is no http(s) URL, carries credentials, is longer than 2,048 characters, or
 * names by host, port or IP literal (in any spelling: octal, hexadecimal, one number) what may not be reached.
 */
export function parseTarget(text: string, rules: TargetRules): URL {
  if (text.length > MAX_URL_LENGTH)
    throw new BlockedTarget(`the URL is longer than ${MAX_URL_LENGTH} characters`)
  const url = URL.parse(text)
  if (!url) throw new BlockedTarget('this is no URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new BlockedTarget('only http and https can be fetched')
  }
  if (url.username !== '' || url.password !== '') throw new BlockedTarget('a URL may carry no credentials')
  url.hash = ''
  // Percent-encoding makes a URL longer than its text.
  if (url.href.length > 3 * MAX_URL_LENGTH) throw new BlockedTarget('the URL is too long')
  if (rules.refusedHosts?.has(url.hostname.replace(/\.$/, ''))) {
    throw new BlockedTarget('a host of this very service cannot be fetched')
  }
  if (rules.allowPrivateNetwork) return url
  if (!(rules.ports ?? WEB_PORTS).has(url.port)) {
    throw new BlockedTarget(`port ${url.port} is not a port of the web`)
  }
  // The connection resolves no name for a literal, so no lookup would ever see it.
  const host = hostOf(url)
  if (isIP(host) === 0 ? !isPublicHost(host) : !mayReach(host, rules)) {
    throw new BlockedTarget('the address is not public')
  }
  return url
}

/** Whether the rules let a connection go to this IP address. */
export function mayReach(address: string, { allowPrivateNetwork, isReachable }: TargetRules): boolean {
  return allowPrivateNetwork || (isReachable ?? isPublicAddress)(address)
}

/** The host of a URL: a name, or an IP address without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}
