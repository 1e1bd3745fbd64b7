import { isIP } from 'node:net'
import { type DnsResolver, isTransient } from '../../dns/dns-resolver.ts'

/** Resolvers reject longer chains; CDNs use up to four. */
const MAX_CHAIN_LENGTH = 8
/** No further link is queried after this time; each query has the resolver's own timeout. */
const MAX_WALK_MS = 3_000

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
