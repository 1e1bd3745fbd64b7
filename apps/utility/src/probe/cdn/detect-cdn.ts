import { isIP } from 'node:net'
import type { Headers } from '@tollbook/safe-fetch/fetched-answer'
import { type DnsResolver, isTransient } from '../../dns/dns-resolver.ts'

export type CdnEvidence = {
  readonly provider: string
  readonly source: 'header' | 'name'
  /** A header line, or a name: the host's own, or a name that its CNAME records lead to. */
  readonly seen: string
}

type Seen = {
  readonly headers: Headers
  /** The host that responded, and the names that its CNAME records lead to. */
  readonly names: readonly string[]
}

/** Evidence that a CDN sent a response. */
type CdnMarks = {
  readonly provider: string
  /** Response headers of the CDN, in lower case, and the pattern of their values. */
  readonly headers: Readonly<Record<string, RegExp>>
  /** Parent domains of hosts that the CDN serves. */
  readonly domains: readonly string[]
}

const ANY = /^/

/**
 * Marks that no other software sends. A link leads to the provider's own documentation; headers without one
 * are from its responses, as collected by cdn-detector 0.1.6 (npm) and wafw00f (EnableSecurity/wafw00f).
 * Omitted: headers that several CDNs or caches share (`x-cache`, `x-edge-location`, `age`), and `via: 1.1
 * google`, which Google's load balancers send without a CDN.
 */
const CDN_MARKS: readonly CdnMarks[] = [
  {
    provider: 'Cloudflare',
    // https://developers.cloudflare.com/fundamentals/reference/http-headers/
    headers: { 'cf-ray': ANY, server: /^cloudflare/i },
    domains: ['cdn.cloudflare.net'],
  },
  {
    provider: 'Amazon CloudFront',
    // https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/RequestAndResponseBehaviorCustomOrigin.html
    headers: { 'x-amz-cf-id': ANY, 'x-amz-cf-pop': ANY, via: /\.cloudfront\.net \(CloudFront\)/i },
    domains: ['cloudfront.net'],
  },
  {
    provider: 'Akamai',
    // https://techdocs.akamai.com/property-mgr/reference/ga-return-cache-status
    headers: {
      'akamai-cache-status': ANY,
      'akamai-grn': ANY,
      'x-akamai-request-id': ANY,
      'x-akamai-transformed': ANY,
      server: /^Akamai(?:GHost|NetStorage)/i,
    },
    domains: [
      'akamai.net',
      'akamaiedge.net',
      'akamaihd.net',
      'akamaized.net',
      'edgekey.net',
      'edgesuite.net',
    ],
  },
  {
    provider: 'Fastly',
    // https://www.fastly.com/documentation/reference/http/http-headers/X-Served-By/
    headers: { 'x-served-by': /\bcache-[a-z]{3}[a-z0-9-]*-[A-Z]{3}\b/, 'x-fastly-request-id': ANY },
    domains: ['fastly.net', 'fastlylb.net'],
  },
  {
    provider: 'Vercel',
    // https://vercel.com/docs/headers/response-headers
    headers: { 'x-vercel-id': ANY, 'x-vercel-cache': ANY, server: /^Vercel\b/i },
    domains: ['vercel.app', 'vercel-dns.com'],
  },
  {
    provider: 'Netlify',
    headers: { 'x-nf-request-id': ANY, server: /^Netlify\b/i },
    domains: ['netlify.app', 'netlifyglobalcdn.com'],
  },
  {
    provider: 'Azure Front Door',
    // https://learn.microsoft.com/azure/frontdoor/front-door-http-headers-protocol
    headers: { 'x-azure-ref': ANY },
    domains: ['azurefd.net', 'azureedge.net'],
  },
  {
    provider: 'bunny.net',
    // https://docs.bunny.net/cdn/troubleshooting/run-traceroute
    headers: { server: /^BunnyCDN/i, 'cdn-pullzone': ANY, 'cdn-requestid': ANY },
    domains: ['b-cdn.net'],
  },
  {
    provider: 'Imperva',
    headers: { 'x-iinfo': ANY, 'x-cdn': /^(?:Incapsula|Imperva)/i },
    domains: ['impervadns.net', 'incapdns.net'],
  },
  {
    provider: 'Sucuri',
    headers: { 'x-sucuri-id': ANY, 'x-sucuri-cache': ANY, server: /^Sucuri/i },
    domains: [],
  },
  { provider: 'KeyCDN', headers: { server: /^keycdn/i }, domains: ['kxcdn.com'] },
  { provider: 'CDN77', headers: { server: /^CDN77/i, 'x-77-pop': ANY }, domains: ['cdn77.org'] },
  {
    provider: 'Alibaba Cloud CDN',
    headers: { 'ali-swift-global-savetime': ANY },
    domains: ['alikunlun.com', 'kunlunar.com', 'kunlunaq.com'],
  },
  { provider: 'Gcore', headers: {}, domains: ['gcdn.co'] },
  { provider: 'CacheFly', headers: {}, domains: ['cachefly.net'] },
  { provider: 'CDNetworks', headers: {}, domains: ['cdngc.net', 'cdnga.net'] },
]

const MAX_SEEN_LENGTH = 200
/** Marks occur at the beginning of a value, or within the first few hops. */
const MAX_READ_LENGTH = 1_000

/** Resolvers reject longer chains; CDNs use up to four. */
const MAX_CHAIN_LENGTH = 8
/** No further link is queried after this time; each query has the resolver's own timeout. */
const MAX_WALK_MS = 3_000

/** Evidence of CDNs in front of a host; headers first, since they belong to this very response. */
export function detectCdn({ headers, names }: Seen): readonly CdnEvidence[] {
  const byHeader = CDN_MARKS.flatMap(({ provider, headers: marks }) =>
    Object.entries(marks).flatMap(([name, value]): readonly CdnEvidence[] => {
      const sent = headers[name]
      if (sent === undefined || !value.test(sent.slice(0, MAX_READ_LENGTH))) return []
      return [{ provider, source: 'header', seen: `${name}: ${sent}`.slice(0, MAX_SEEN_LENGTH) }]
    }),
  )
  const byName = CDN_MARKS.flatMap(({ provider, domains }) =>
    names
      .filter((name) => domains.some((domain) => isBelow(name, domain)))
      .map((name): CdnEvidence => ({ provider, source: 'name', seen: name })),
  )
  return [...byHeader, ...byName]
}

function isBelow(name: string, domain: string): boolean {
  const plain = name.toLowerCase().replace(/\.$/, '')
  return plain === domain || plain.endsWith(`.${domain}`)
}

/**
 * The names that the CNAME records of a host lead to, in order; empty for an IP address.
 * @returns null if the name servers did not answer, so that the chain is unknown.
 */
export async function readCnameChain(host: string, resolver: DnsResolver): Promise<readonly string[] | null> {
  const chain: string[] = []
  const endMs = performance.now() + MAX_WALK_MS
  let name = host
  while (isIP(host) === 0 && chain.length < MAX_CHAIN_LENGTH && performance.now() < endMs) {
    const answer = await resolver.cname(name)
    if ('failure' in answer && isTransient(answer.failure)) return chain.length > 0 ? chain : null
    const [target] = answer.records
    if (target === undefined || target === host || chain.includes(target)) break
    chain.push(target)
    name = target
  }
  return chain
}
