import { getDomain } from 'tldts'
import type { DnsResolver } from './dns-resolver.ts'

/** The DMARC policy of a domain (RFC 7489). */
export type Dmarc = {
  readonly found: boolean
  readonly record: string | null
  /** Requested handling of mail that fails: `none`, `quarantine` or `reject`. */
  readonly policy: string | null
  readonly subdomain_policy: string | null
  /** Share of failing mail that the policy applies to, in percent. */
  readonly pct: number | null
  /** Addresses for reports. */
  readonly rua: readonly string[]
  /** The organizational domain whose record applies, if the domain has none itself. */
  readonly inherited_from: string | null
  readonly errors: readonly string[]
}

/** A record of 64 kB may have 30,000 issues. */
const MAX_ERRORS = 20
const POLICIES = new Set(['none', 'quarantine', 'reject'])
const NOT_FOUND: Dmarc = {
  found: false,
  record: null,
  policy: null,
  subdomain_policy: null,
  pct: null,
  rua: [],
  inherited_from: null,
  errors: [],
}

/** Finds the policy as receivers do (RFC 7489 section 6.6.3): the domain's own, else the organizational domain's. */
export async function readDmarc(domain: string, resolver: DnsResolver): Promise<Dmarc> {
  const own = await readRecords(domain, resolver)
  if (own.length > 0) return parseDmarc(own, null)
  const parent = getDomain(domain)
  if (parent === null || parent === domain) return NOT_FOUND
  const inherited = await readRecords(parent, resolver)
  return inherited.length > 0 ? parseDmarc(inherited, parent) : NOT_FOUND
}

async function readRecords(domain: string, resolver: DnsResolver): Promise<readonly string[]> {
  const { records } = await resolver.txt(`_dmarc.${domain}`)
  return records.filter((text) => /^v\s*=\s*DMARC1\s*(?:;|$)/.test(text))
}

/** @param inheritedFrom the domain of the records, unless it is the domain itself */
export function parseDmarc(records: readonly string[], inheritedFrom: string | null): Dmarc {
  const [record = ''] = records
  const errors: string[] = []
  if (records.length > 1)
    errors.push(`there are ${records.length} DMARC records, so receivers ignore all of them`)
  const tags = parseTags(record, errors)
  const own = readPolicy(tags, 'p', errors)
  const sub = tags.has('sp') ? readPolicy(tags, 'sp', errors) : own
  if (own === null && !tags.has('p')) errors.push('the tag p is missing')
  return {
    found: true,
    record,
    // The subdomain policy applies to inherited records.
    policy: inheritedFrom === null ? own : sub,
    subdomain_policy: sub,
    pct: readPercent(tags, errors),
    rua: (tags.get('rua') ?? '')
      .split(',')
      .map((address) => address.trim())
      .filter((address) => address !== ''),
    inherited_from: inheritedFrom,
    errors,
  }
}

/** `tag=value` pairs separated by semicolons (RFC 7489 section 6.4). */
function parseTags(record: string, errors: string[]): ReadonlyMap<string, string> {
  const tags = new Map<string, string>()
  for (const part of record.split(';')) {
    if (part.trim() === '') continue
    // Not by one expression: a record has up to 64 kB, and a run of spaces in it would take hours.
    const equals = part.indexOf('=')
    const name = part.slice(0, Math.max(0, equals)).trim().toLowerCase()
    const issue = /^[a-z]+$/.test(name)
      ? tags.has(name) && `duplicate tag ${name}`
      : `"${part.trim().slice(0, 100)}" is not a tag`
    if (issue === false) tags.set(name, part.slice(equals + 1).trim())
    else if (errors.length < MAX_ERRORS) errors.push(issue)
  }
  return tags
}

function readPolicy(tags: ReadonlyMap<string, string>, tag: string, errors: string[]): string | null {
  const value = tags.get(tag)?.toLowerCase()
  if (value === undefined) return null
  if (POLICIES.has(value)) return value
  errors.push(`${tag} is not none, quarantine or reject`)
  return null
}

function readPercent(tags: ReadonlyMap<string, string>, errors: string[]): number {
  const text = tags.get('pct') ?? '100'
  if (/^\d{1,3}$/.test(text) && Number(text) <= 100) return Number(text)
  errors.push('pct is not a number from 0 to 100')
  return 100
}
