import { KNOWN_SELECTORS } from '../../../dns/dkim.ts'

const INSECURE = {
  A: 'insecure' as const,
  AAAA: 'insecure' as const,
  MX: 'insecure' as const,
  NS: 'insecure' as const,
  TXT: 'insecure' as const,
  SOA: 'insecure' as const,
  CAA: 'insecure' as const,
}

/** The answer for a domain that accepts no mail. */
export const DNS_EXAMPLE = {
  input: { domain: 'example.com' },
  output: {
    domain: 'example.com',
    ascii: 'example.com',
    exists: true,
    a: ['192.0.2.10'],
    aaaa: ['2001:db8::10'],
    cname: null,
    mx: [{ priority: 0, exchange: '' }],
    ns: ['a.iana-servers.net', 'b.iana-servers.net'],
    txt: ['v=spf1 -all'],
    soa: {
      primary: 'ns.icann.org',
      admin: 'noc.dns.icann.org',
      serial: 2026112101,
      refresh: 7200,
      retry: 3600,
      expire: 1209600,
      minimum: 3600,
    },
    caa: [],
    spf: {
      found: true,
      record: 'v=spf1 -all',
      valid: true,
      all: 'fail' as const,
      lookups: 0,
      includes: [],
      errors: [],
    },
    dmarc: {
      found: true,
      record: 'v=DMARC1;p=reject;sp=reject;adkim=s;aspf=s',
      policy: 'reject',
      subdomain_policy: 'reject',
      pct: 100,
      rua: [],
      inherited_from: null,
      errors: [],
    },
    dkim: { probed: KNOWN_SELECTORS.length, found: [] },
    dnssec: {
      state: 'insecure' as const,
      reason: 'the resolver found no chain of trust to its records',
      resolver: '1.1.1.1',
      records: INSECURE,
      chain: [],
    },
    comparison: null,
    errors: { CNAME: 'no_data' as const, CAA: 'no_data' as const },
    resolver: '1.1.1.1, 9.9.9.9',
    query_ms: 41.3,
    ts: '2026-11-21T10:00:00.000Z',
  },
}
