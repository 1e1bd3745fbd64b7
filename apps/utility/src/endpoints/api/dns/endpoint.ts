import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import { COMPARED_TYPES, compareResolvers } from '../../../dns/compare-resolvers.ts'
import { readRecords } from '../../../dns/read-records.ts'
import type { UtilityPorts } from '../../../ports.ts'
import { DNS_EXAMPLE } from './example.ts'

const MAX_SELECTORS = 20
const SELECTOR = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9-]{1,63}){0,3}$/

const input = z.object({
  domain: z
    .string()
    .min(1)
    .max(1000)
    .describe('Domain name, such as example.com; internationalized names are accepted.'),
  selector: z
    .array(z.string().regex(SELECTOR, 'must be a DKIM selector, such as google or s1'))
    .max(MAX_SELECTORS)
    .default([])
    .describe('Further DKIM selectors; may be repeated.'),
  compare: z.enum(COMPARED_TYPES).optional().describe('Compares this type between resolvers.'),
})

const failure = z.enum(['no_data', 'no_name', 'server_failed', 'refused', 'timeout', 'malformed'])

const security = z.enum(['secure', 'insecure', 'bogus', 'unknown'])

const output = z.object({
  domain: z.string(),
  ascii: z.string().describe('The name in its DNS form (punycode).'),
  exists: z.boolean().describe('False if the name is not registered at all.'),
  a: z.array(z.string()),
  aaaa: z.array(z.string()),
  cname: z.string().nullable(),
  mx: z
    .array(z.object({ priority: z.int(), exchange: z.string() }))
    .describe('Sorted by preference; an empty exchange means that the domain accepts no mail (RFC 7505).'),
  ns: z.array(z.string()),
  txt: z.array(z.string()),
  soa: z
    .object({
      primary: z.string(),
      admin: z.string(),
      serial: z.int(),
      refresh: z.int(),
      retry: z.int(),
      expire: z.int(),
      minimum: z.int(),
    })
    .nullable(),
  caa: z.array(z.object({ critical: z.boolean(), tag: z.string(), value: z.string() })),
  spf: z.object({
    found: z.boolean(),
    record: z.string().nullable(),
    valid: z.boolean(),
    all: z.enum(['pass', 'fail', 'softfail', 'neutral']).nullable(),
    lookups: z.int().describe('DNS lookups that a receiver needs (limit 10).'),
    includes: z.array(z.string()),
    errors: z.array(z.string()),
  }),
  dmarc: z.object({
    found: z.boolean(),
    record: z.string().nullable(),
    policy: z.string().nullable().describe('The policy that applies to this domain.'),
    subdomain_policy: z.string().nullable(),
    pct: z.int().nullable(),
    rua: z.array(z.string()),
    inherited_from: z.string().nullable(),
    errors: z.array(z.string()),
  }),
  dkim: z.object({
    probed: z.int().describe('Selectors that were probed; others may exist.'),
    found: z.array(
      z.object({
        selector: z.string(),
        record: z.string(),
        key_type: z.string(),
        key_bits: z.int().nullable(),
        revoked: z.boolean(),
      }),
    ),
  }),
  dnssec: z
    .object({
      state: security.describe(
        'secure: the resolver reports that it validated all records; bogus: it returns some only unvalidated; insecure: it validates, but not all of these; unknown: no resolver of this service validates, or it did not answer.',
      ),
      reason: z.string().nullable(),
      resolver: z.string().nullable().describe('The server that reports the state; null if none validates.'),
      records: z.record(z.string(), security).describe('The state of each record type.'),
      chain: z
        .array(z.object({ zone: z.string(), ds: z.array(z.string()), keys: z.array(z.string()) }))
        .describe('Always empty: the resolver does not return what it verified.'),
    })
    .describe(
      'What a configured resolver reports by the AD bit (RFC 6840 section 5.8), over an unauthenticated path: no independent proof.',
    ),
  comparison: z
    .object({
      type: z.string(),
      agree: z.boolean().nullable().describe('Null if fewer than two answered.'),
      answers: z.array(
        z.object({ server: z.string(), records: z.array(z.string()), error: failure.nullable() }),
      ),
    })
    .nullable(),
  errors: z.record(z.string(), failure).describe('Why a record type is empty.'),
  resolver: z.string(),
  query_ms: z.number(),
  ts: z.iso.datetime(),
})

type Input = z.output<typeof input>

/** RFC 1035 section 2.3.4; service names begin with an underscore (RFC 8552). */
const MAX_NAME_LENGTH = 253
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

export const dns = defineEndpoint({
  id: 'dns',
  method: 'GET',
  path: '/api/dns',
  pricing: { kind: 'exact', priceUsd: '0.002' },
  summary: 'DNS records of a domain',
  description:
    'A, AAAA, CNAME, MX (sorted), NS, TXT, SOA and CAA records of a domain, its SPF policy with lookups, its DMARC policy with inheritance, DKIM keys of common selectors, its DNSSEC state (AD bit), and whether several resolvers agree.',
  input,
  output,
  example: DNS_EXAMPLE,
  limits: { bodyBytes: 8192, timeoutMs: 15_000 },
  check: ({ domain }) =>
    toDomainName(domain) === null ? [{ parameter: 'domain', detail: 'is not a domain name' }] : [],
  async handle({ input: args, ports, now }: Call<Input, UtilityPorts, Address>) {
    const startedMs = performance.now()
    const ascii = toDomainName(args.domain) ?? ''
    const resolver = ports.dns
    const { compare: type } = args
    const [read, dnssec, comparison] = await Promise.all([
      readRecords({ domain: ascii, selectors: args.selector, resolver }),
      resolver.dnssec(ascii),
      type ? compareResolvers(ascii, { type, resolver }) : null,
    ])
    const { isUnreachable, txt, soa, caa, spf, dmarc, dkim, ...records } = read
    // A validating resolver fails every query for records that are bogus: that is a finding.
    if (isUnreachable && dnssec.state !== 'bogus') {
      const detail = 'The DNS servers did not answer for this domain.'
      throw new ProblemError({ code: 'upstream_failed', detail, retryAfterSeconds: 5 })
    }
    return json({
      domain: args.domain,
      ascii,
      exists: records.errors.A !== 'no_name',
      ...records,
      txt: [...txt],
      spf: { ...spf, includes: [...spf.includes], errors: [...spf.errors] },
      dmarc: { ...dmarc, rua: [...dmarc.rua], errors: [...dmarc.errors] },
      dkim: { ...dkim, found: [...dkim.found] },
      soa: soa && {
        primary: soa.nsname,
        admin: soa.hostmaster,
        serial: soa.serial,
        refresh: soa.refresh,
        retry: soa.retry,
        expire: soa.expire,
        minimum: soa.minttl,
      },
      caa: caa.map(({ critical, ...properties }) => {
        const [[tag, value] = ['', '']] = Object.entries(properties).filter(([name]) => name !== 'type')
        return { critical: critical !== 0, tag, value: String(value) }
      }),
      dnssec: { ...dnssec, chain: [] },
      comparison,
      resolver: resolver.servers.join(', '),
      query_ms: Math.round((performance.now() - startedMs) * 10) / 10,
      ts: now.toISOString(),
    })
  },
})

/**
 * A domain name in DNS form: lower case, international labels in Punycode, no trailing dot. Null if it is not
 * a domain name; IP addresses are not.
 */
function toDomainName(text: string): string | null {
  const trimmed = text.trim().replace(/[.\u3002\uff0e\uff61]$/u, '')
  const name = /^[\x21-\x7e]+$/.test(trimmed) ? trimmed.toLowerCase() : domainToASCII(trimmed)
  if (name === '' || name.length > MAX_NAME_LENGTH || isIP(name) !== 0) return null
  return name.split('.').every((label) => LABEL.test(label)) ? name : null
}
