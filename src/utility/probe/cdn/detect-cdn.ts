import { isIP } from 'node:net'
import type { Headers } from '../../../fetching/fetched-answer.ts'
import { type DnsResolver, isTransient } from '../../dns/dns-resolver.ts'
import { CDN_MARKS } from './cdn-marks.ts'

export type CdnEvidence = {
  readonly provider: string
  readonly source: 'header' | 'name'
  /** A header line, or a name: the host's own, or one that it is an alias of. */
  readonly seen: string
}

type Seen = {
  readonly headers: Headers
  /** The host that responded, and the names that it is an alias of. */
  readonly names: readonly string[]
}

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
 * The names that a host name is an alias of, in order; empty for an IP address.
 * @returns null if the name servers did not answer, so that the chain is unknown.
 */
export async function readAliasChain(host: string, resolver: DnsResolver): Promise<readonly string[] | null> {
  const chain: string[] = []
  const endMs = performance.now() + MAX_WALK_MS
  let name = host
  while (isIP(host) === 0 && chain.length < MAX_CHAIN_LENGTH && performance.now() < endMs) {
    const answer = await resolver.cname(name)
    if ('failure' in answer && isTransient(answer.failure)) return chain.length > 0 ? chain : null
    const [alias] = answer.records
    if (alias === undefined || alias === host || chain.includes(alias)) break
    chain.push(alias)
    name = alias
  }
  return chain
}
