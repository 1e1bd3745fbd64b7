import type { CaaRecord, SoaRecord } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { type Dnssec, readDnssec } from './read-dnssec.ts'

/** A mail server (RFC 5321 section 5.1); an empty exchange means that the domain accepts no mail (RFC 7505). */
export type MxRecord = { readonly priority: number; readonly exchange: string }

/** Why a name has no records of a type; all but `no_data` and `no_name` are transient. */
export type DnsFailure = 'no_data' | 'no_name' | 'server_failed' | 'refused' | 'timeout' | 'malformed'

export type DnsAnswer<Record> =
  | { readonly records: readonly Record[] }
  | { readonly records: readonly []; readonly failure: DnsFailure }

/** Queries the operator's configured resolvers, never the system's, which may resolve names of a private network. */
export type DnsResolver = {
  /** Addresses of the queried servers. */
  readonly servers: readonly string[]
  /** Addresses of resolvers whose answers a caller may compare. */
  readonly compared: readonly string[]
  /** The same with one server. */
  only(server: string): DnsResolver
  /** What the first server that validates reports about a name. */
  dnssec(name: string): Promise<Dnssec>
  a(name: string): Promise<DnsAnswer<string>>
  aaaa(name: string): Promise<DnsAnswer<string>>
  cname(name: string): Promise<DnsAnswer<string>>
  /** In the server's order. */
  mx(name: string): Promise<DnsAnswer<MxRecord>>
  ns(name: string): Promise<DnsAnswer<string>>
  soa(name: string): Promise<DnsAnswer<SoaRecord>>
  caa(name: string): Promise<DnsAnswer<CaaRecord>>
  /** The strings of a record concatenated without a separator (RFC 7208 section 3.3). */
  txt(name: string): Promise<DnsAnswer<string>>
}

export type DnsResolverOptions = {
  /** IP addresses, with `:port` if it is not 53. */
  readonly servers: readonly string[]
  /** Default `servers`. */
  readonly compared?: readonly string[]
  /** Timeout of one attempt at one server, ms. Default 2,000. */
  readonly timeoutMs?: number
  /** Maximum attempts. Default 2. */
  readonly tries?: number
}

export function createDnsResolver(options: DnsResolverOptions): DnsResolver {
  const { servers, compared = servers, timeoutMs = 2_000, tries = 2 } = options
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  resolver.setServers(servers)
  return {
    servers,
    compared,
    only: (server) => createDnsResolver({ ...options, servers: [server] }),
    dnssec: (name) => readDnssec(name, { servers, timeoutMs }),
    a: (name) => ask(() => resolver.resolve4(name)),
    aaaa: (name) => ask(() => resolver.resolve6(name)),
    cname: (name) => ask(() => resolver.resolveCname(name)),
    mx: (name) =>
      ask(async () =>
        (await resolver.resolveMx(name)).map(({ priority, exchange }) => ({ priority, exchange })),
      ),
    ns: (name) => ask(() => resolver.resolveNs(name)),
    soa: (name) => ask(async () => [await resolver.resolveSoa(name)]),
    caa: (name) => ask(() => resolver.resolveCaa(name)),
    txt: (name) => ask(async () => (await resolver.resolveTxt(name)).map((strings) => strings.join(''))),
  }
}

/** The error codes of c-ares, by what they mean for a caller. */
const FAILURES: Readonly<Record<string, DnsFailure>> = {
  ENODATA: 'no_data',
  ENOTFOUND: 'no_name',
  EBADNAME: 'no_name',
  ESERVFAIL: 'server_failed',
  ENOTIMP: 'server_failed',
  EREFUSED: 'refused',
  ECONNREFUSED: 'timeout',
  ETIMEOUT: 'timeout',
  EBADRESP: 'malformed',
  EFORMERR: 'malformed',
}

async function ask<Record>(resolve: () => Promise<readonly Record[]>): Promise<DnsAnswer<Record>> {
  try {
    return { records: await resolve() }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const failure = FAILURES[code]
    if (!failure) throw error
    return { records: [], failure }
  }
}

export function failureOf(answer: DnsAnswer<unknown>): DnsFailure | null {
  return 'failure' in answer ? answer.failure : null
}

/** Whether a retry may succeed. */
export function isTransient(failure: DnsFailure | null): boolean {
  return failure !== null && failure !== 'no_data' && failure !== 'no_name'
}
