import { type LookupAddress, lookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { BlockedTarget, Unreachable } from '@tollbook/flow/failure'
import { mayReach, type TargetRules } from './target.ts'

/** Returns every address of a host name. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>

/** Number of attempts for a query, and the timeout of each; three seconds in total. */
const TRIES = 2
const TRY_MS = 1000
/** More than any host has; the rest of a hostile answer is rejected unread. */
const MAX_ADDRESSES = 64

/** Uses the machine's resolver, including its hosts file. For names of the private network. */
export const resolveBySystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })

/**
 * Queries name servers directly. Unlike the machine's resolver this does not block a thread of the pool,
 * which a few names with slow servers could exhaust, and does not resolve the machine's own names.
 * @param servers addresses such as `9.9.9.9` or `127.0.0.1:5353`; empty: those that the machine is configured
 * with.
 */
export function createServerResolve(servers: readonly string[]): Resolve {
  return async (host, signal) => {
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES })
    if (servers.length > 0) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      const found = answers.flatMap((answer, index): readonly LookupAddress[] =>
        answer.status === 'fulfilled'
          ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
          : [],
      )
      const failure = answers.find((answer) => answer.status === 'rejected')
      if (found.length === 0 && failure) throw failure.reason
      return found
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

/**
 * Resolves a name once for one connection, and blocks it if any of its addresses must not be reached. Pass
 * the result to the socket unchanged: between check and use there is no moment for a name to change.
 * @throws BlockedTarget; Unreachable if the name cannot be resolved.
 */
export async function resolveChecked(
  host: string,
  {
    rules,
    resolve,
    signal,
  }: { readonly rules: TargetRules; readonly resolve: Resolve; readonly signal: AbortSignal },
): Promise<readonly [LookupAddress, ...LookupAddress[]]> {
  const addresses = await resolve(host, signal).catch((error: unknown) => {
    throw new Unreachable('the name of the host cannot be resolved', { cause: error, phase: 'dns' })
  })
  const [first, ...others] = addresses
  if (!first) throw new BlockedTarget('the name has no address')
  if (addresses.length > MAX_ADDRESSES) throw new BlockedTarget('the name has too many addresses')
  if (!addresses.every(({ address }) => mayReach(address, rules))) {
    throw new BlockedTarget('the name resolves to an address that is not public')
  }
  return [first, ...others]
}
