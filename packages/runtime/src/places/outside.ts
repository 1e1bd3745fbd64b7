import { PRODUCT } from '@tollbook/endpoints/documents/product-version'
import {
  createSafeFetch,
  type FetchLimits,
  type SafeFetch,
  type SafeFetchOptions,
} from '@tollbook/safe-fetch/safe-fetch'
import type { Config } from '../config.ts'
import { listAliasHosts } from './alias-hosts.ts'

/** Access to untrusted hosts, with the service's public address in `User-Agent`. */
export function outsideOptions(config: Config, baseUrl: string): SafeFetchOptions {
  const own = [
    config.TOLLBOOK_REPORT_BASE_URL,
    [...config.services.values()].flatMap((service) => service.baseUrl ?? []),
    listAliasHosts(config),
    config.TOLLBOOK_CHAIN_RPC_URL,
    config.TOLLBOOK_FACILITATOR_URL,
  ]
  const allowPrivateNetwork = config.TOLLBOOK_PRIVATE_NETWORK === 'allow'
  return {
    allowPrivateNetwork,
    dnsServers: config.TOLLBOOK_DNS_SERVERS,
    userAgent: userAgentOf(baseUrl),
    // No call may call the services themselves, or reach an RPC or facilitator where the service's own key
    // would be used.
    refusedHosts: new Set(
      allowPrivateNetwork ? [] : own.flat().flatMap((url) => URL.parse(url ?? '')?.hostname ?? []),
    ),
  }
}

/** What requests of a service call it, with its public address. */
export function userAgentOf(baseUrl: string): string {
  return `Tollbook/${PRODUCT.version} (+${baseUrl}/)`
}

/** Access to upstreams that the operator configures, which may run in the same private network. */
export function createUpstreamFetch(
  config: Config,
  baseUrl: string,
  limits: Partial<FetchLimits> = {},
): SafeFetch {
  const outside = outsideOptions(config, baseUrl)
  return createSafeFetch({ ...outside, allowPrivateNetwork: true, refusedHosts: new Set(), limits })
}
