import { KNOWN_SELECTORS, probeDkim } from './dkim.ts'
import { readDmarc } from './dmarc.ts'
import {
  type DnsAnswer,
  type DnsFailure,
  type DnsResolver,
  failureOf,
  isTransient,
  type MxRecord,
} from './dns-resolver.ts'
import { readSpf } from './spf.ts'

export type Question = {
  /** As returned by `toDomainName`. */
  readonly domain: string
  /** DKIM selectors in addition to the common ones. */
  readonly selectors: readonly string[]
  readonly resolver: DnsResolver
}

/**
 * Queries all records of a domain and its mail concurrently. A type that cannot be read is empty and listed
 * in `errors`.
 */
export async function readRecords({ domain, selectors, resolver }: Question) {
  const [a, aaaa, cname, mx, ns, txt, soa, caa, dmarc, dkim] = await Promise.all([
    resolver.a(domain),
    resolver.aaaa(domain),
    resolver.cname(domain),
    resolver.mx(domain),
    resolver.ns(domain),
    resolver.txt(domain),
    resolver.soa(domain),
    resolver.caa(domain),
    readDmarc(domain, resolver),
    probeDkim(domain, { selectors: [...selectors, ...KNOWN_SELECTORS], resolver }),
  ])
  const answers: Readonly<Record<string, DnsAnswer<unknown>>> = {
    A: a,
    AAAA: aaaa,
    CNAME: cname,
    MX: mx,
    NS: ns,
    TXT: txt,
    SOA: soa,
    CAA: caa,
  }
  return {
    /** Whether no type could be read, for a transient reason. */
    isUnreachable: Object.values(answers).every((answer) => isTransient(failureOf(answer))),
    a: [...a.records].sort(),
    aaaa: [...aaaa.records].sort(),
    cname: cname.records[0] ?? null,
    mx: sortMx(mx.records),
    ns: [...ns.records].sort(),
    txt: txt.records,
    soa: soa.records[0] ?? null,
    caa: caa.records,
    spf: await readSpf(txt.records, resolver),
    dmarc,
    dkim,
    errors: listErrors(answers),
  }
}

/** By preference (RFC 5321 section 5.1); equal ones by name, so that the order is stable. */
export function sortMx(records: readonly MxRecord[]) {
  return [...records].sort(
    (one, other) => one.priority - other.priority || (one.exchange < other.exchange ? -1 : 1),
  )
}

function listErrors(
  answers: Readonly<Record<string, DnsAnswer<unknown>>>,
): Readonly<Record<string, DnsFailure>> {
  const errors: Record<string, DnsFailure> = {}
  for (const [type, answer] of Object.entries(answers)) {
    const failure = failureOf(answer)
    if (failure !== null) errors[type] = failure
  }
  return errors
}
