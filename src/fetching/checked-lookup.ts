import { type LookupAddress, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { BlockedTarget } from './failure.ts'
import { mayReach, type TargetRules } from './target.ts'

/** Gives every address of a host name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

/** Asks the resolver of the machine. */
export const resolveBySystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })

/**
 * A lookup for a socket that resolves a name once, refuses it when any of its addresses may not be reached,
 * and hands that very answer to the connection: there is no moment between check and use for a name to change.
 */
export function createCheckedLookup(rules: TargetRules, resolve: Resolve): LookupFunction {
  return (host, options, callback) => {
    void resolve(host).then(
      (addresses) => {
        const [first] = addresses
        if (!first) return callback(new BlockedTarget('the name has no address'), '')
        if (!addresses.every(({ address }) => mayReach(address, rules))) {
          return callback(new BlockedTarget('the name resolves to an address that is not public'), '')
        }
        return options.all ? callback(null, [...addresses]) : callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, ''),
    )
  }
}
