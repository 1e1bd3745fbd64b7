import { type LookupAddress, lookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { BlockedTarget, Unreachable } from './failure.ts'
import { mayReach, type TargetRules } from './target.ts'

/** Gives every address of a host name. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>

/** A question is sent so often, and waited for so long each time; three seconds in all. */
const TRIES = 2
const TRY_MS = 1000
/** More than any host has; the rest of a hostile answer is refused unread. */
const MAX_ADDRESSES = 64

/** Asks the resolver of the machine: its hosts file, too. For names of the private network. */
export const resolveBySystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })

/**
 * Asks name servers directly. Unlike the machine's resolver this occupies no thread of the pool, which a few names
 * with slow servers could fill, and knows no names of the machine's own.
 * @param servers addresses such as `9.9.9.9` or `127.0.0.1:5353`; empty: those that the machine is set up with.
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
 * Resolves a name once for one connection, and refuses it when any of its addresses may not be reached. The answer
 * is to be handed to the socket as it is: there is no moment between check and use for a name to change.
 * @throws BlockedTarget; Unreachable when the name cannot be resolved.
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
