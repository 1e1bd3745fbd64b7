import {
  type DnsFailure,
  type DnsResolver,
  failureOf,
  isTransient,
  type MxRecord,
} from '../dns/dns-resolver.ts'
import { sortMx } from '../dns/read-records.ts'

/** The mail servers of a domain. */
export type MailRoute = {
  /** By preference; the domain itself if it is implicit. */
  readonly records: readonly MxRecord[]
  /**
   * No MX record, but an address of the domain itself, which then receives the mail (RFC 5321 section 5.1).
   */
  readonly isImplicit: boolean
  /** The domain declares that it accepts no mail (RFC 7505). */
  readonly isRefused: boolean
  readonly isRegistered: boolean
  /** Why the DNS did not answer; null if it did. */
  readonly failure: DnsFailure | null
}

const NOWHERE: MailRoute = {
  records: [],
  isImplicit: false,
  isRefused: false,
  isRegistered: true,
  failure: null,
}

/** @param domain in DNS form */
export async function findMailRoute(domain: string, resolver: DnsResolver): Promise<MailRoute> {
  const mx = await resolver.mx(domain)
  const failure = failureOf(mx)
  if (failure === 'no_name') return { ...NOWHERE, isRegistered: false }
  if (isTransient(failure)) return { ...NOWHERE, failure }
  const records = sortMx(mx.records)
  if (records.length > 0) {
    const isRefused = records.every(({ exchange }) => exchange === '')
    return { ...NOWHERE, records: isRefused ? [] : records, isRefused }
  }
  const addresses = await Promise.all([resolver.a(domain), resolver.aaaa(domain)])
  if (addresses.some((answer) => answer.records.length > 0))
    return { ...NOWHERE, records: [{ priority: 0, exchange: domain }], isImplicit: true }
  const transient = addresses.map(failureOf).find(isTransient)
  return { ...NOWHERE, failure: transient ?? null }
}
