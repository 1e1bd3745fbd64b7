import { isIP } from 'node:net'
import { type DnsResolver, failureOf } from './dns-resolver.ts'

/** The SPF policy of a domain (RFC 7208). */
export type Spf = {
  readonly found: boolean
  readonly record: string | null
  /** Whether a receiver can evaluate it: one record, well formed, within the limits of section 4.6.4. */
  readonly valid: boolean
  /** Result for mail from any other host; null if neither `all` nor `redirect` defines it. */
  readonly all: 'pass' | 'fail' | 'softfail' | 'neutral' | null
  /** Terms that cause DNS lookups, including those of included records; at most 10 are allowed. */
  readonly lookups: number
  readonly includes: readonly string[]
  readonly errors: readonly string[]
}

/** RFC 7208 section 4.6.4. */
const MAX_LOOKUPS = 10
/** Counting stops here: any number above the limit is an error. */
const MAX_COUNTED = 30
/** Of the terms of all records together: one record of 64 kB may have 30,000. */
const MAX_TERM_ERRORS = 20
const QUALIFIERS = { '+': 'pass', '-': 'fail', '~': 'softfail', '?': 'neutral' } as const
const MECHANISM = /^([+\-~?]?)([a-z][a-z0-9._-]*)(?:([:/])(.*))?$/i
const MODIFIER = /^([a-z][a-z0-9._-]*)=(.*)$/i
const ASKS_DNS = new Set(['include', 'a', 'mx', 'ptr', 'exists'])
const KNOWN = new Set([...ASKS_DNS, 'all', 'ip4', 'ip6'])

type Term =
  | {
      readonly kind: 'mechanism'
      readonly name: string
      readonly qualifier: keyof typeof QUALIFIERS
      readonly value: string
    }
  | { readonly kind: 'modifier'; readonly name: string; readonly value: string }

/**
 * Finds the SPF policy among the TXT records of a domain, and follows its includes.
 * @param texts the domain's TXT records
 */
export async function readSpf(texts: readonly string[], resolver: DnsResolver): Promise<Spf> {
  const records = texts.filter(isSpf)
  const [record] = records
  if (record === undefined)
    return { found: false, record: null, valid: false, all: null, lookups: 0, includes: [], errors: [] }
  const errors: string[] = []
  // Section 4.5: more than one is a permanent error.
  if (records.length > 1) errors.push(`there are ${records.length} SPF records (only one is allowed)`)
  const terms = parseTerms(record, errors)
  const count = { lookups: 0 }
  await countLookups(terms, { resolver, count, errors, path: [] })
  if (count.lookups > MAX_LOOKUPS) errors.push(`more than ${MAX_LOOKUPS} DNS lookups are needed`)
  return {
    found: true,
    record,
    valid: errors.length === 0,
    all: readAll(terms),
    lookups: count.lookups,
    includes: terms.filter(({ name }) => name === 'include').map(({ value }) => value),
    errors,
  }
}

function isSpf(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text)
}

function parseTerms(record: string, errors: string[]): readonly Term[] {
  const terms: Term[] = []
  for (const word of record.split(' ').slice(1)) {
    if (word === '') continue
    const term = parseTerm(word)
    if (typeof term !== 'string') terms.push(term)
    else if (errors.length < MAX_TERM_ERRORS) errors.push(term)
  }
  for (const name of ['redirect', 'exp'])
    if (terms.filter((term) => term.kind === 'modifier' && term.name === name).length > 1)
      errors.push(`duplicate ${name}`)
  return terms
}

function parseTerm(word: string): Term | string {
  const modifier = MODIFIER.exec(word)
  if (modifier?.[1]) {
    const name = modifier[1].toLowerCase()
    const value = modifier[2] ?? ''
    if ((name === 'redirect' || name === 'exp') && value === '') return `${name} has no domain`
    return { kind: 'modifier', name, value }
  }
  const mechanism = MECHANISM.exec(word)
  const name = mechanism?.[2]?.toLowerCase() ?? ''
  if (!KNOWN.has(name)) return `"${word.slice(0, 100)}" is not an SPF term`
  const separator = mechanism?.[3]
  const value = separator === '/' ? '' : (mechanism?.[4] ?? '')
  const needsValue = name === 'include' || name === 'exists' || name === 'ip4' || name === 'ip6'
  if (needsValue && value === '') return `${name} needs a value`
  if (name === 'all' && separator !== undefined) return 'all takes no value'
  if (name === 'ip4' && !isNetwork(value, 4)) return `"${value.slice(0, 100)}" is not an IPv4 network`
  if (name === 'ip6' && !isNetwork(value, 6)) return `"${value.slice(0, 100)}" is not an IPv6 network`
  const qualifier = (mechanism?.[1] || '+') as keyof typeof QUALIFIERS
  return { kind: 'mechanism', name, qualifier, value: value.split('/')[0] ?? '' }
}

/** Terms after `all` are never reached, and `redirect` applies only without `all` (sections 5.1 and 6.1). */
function reached(terms: readonly Term[]): readonly Term[] {
  const all = terms.findIndex(({ kind, name }) => kind === 'mechanism' && name === 'all')
  return all === -1 ? terms : terms.slice(0, all).filter(({ kind }) => kind === 'mechanism')
}

function readAll(terms: readonly Term[]): Spf['all'] {
  const all = terms.find(({ kind, name }) => kind === 'mechanism' && name === 'all')
  if (all?.kind === 'mechanism') return QUALIFIERS[all.qualifier]
  const isElsewhere = terms.some(({ kind, name }) => kind === 'modifier' && name === 'redirect')
  // Section 4.7: without either, the result is neutral.
  return isElsewhere ? null : 'neutral'
}

type Counting = {
  readonly resolver: DnsResolver
  readonly count: { lookups: number }
  readonly errors: string[]
  /** Chain of domains that led here, to detect loops. */
  readonly path: readonly string[]
}

async function countLookups(terms: readonly Term[], counting: Counting): Promise<void> {
  for (const term of reached(terms)) {
    if (counting.count.lookups >= MAX_COUNTED) return
    const isRedirect = term.kind === 'modifier' && term.name === 'redirect'
    if (!isRedirect && !(term.kind === 'mechanism' && ASKS_DNS.has(term.name))) continue
    counting.count.lookups += 1
    if (isRedirect || term.name === 'include') await follow(term, counting)
  }
}

async function follow({ name, value }: Term, counting: Counting): Promise<void> {
  const { resolver, errors, path } = counting
  // A macro depends on a message, and there is none here.
  if (value.includes('%')) return
  const domain = value.toLowerCase()
  if (path.includes(domain)) {
    errors.push(`${name} of ${domain} forms a loop`)
    return
  }
  const answer = await resolver.txt(domain)
  const records = answer.records.filter(isSpf)
  const [record] = records
  if (record === undefined || records.length > 1) {
    const failure = failureOf(answer)
    errors.push(
      record === undefined
        ? `${domain} in ${name} has no SPF record${failure ? ` (${failure})` : ''}`
        : `${domain} in ${name} has ${records.length} SPF records`,
    )
    return
  }
  await countLookups(parseTerms(record, errors), { ...counting, path: [...path, domain] })
}

function isNetwork(text: string, version: 4 | 6): boolean {
  const [address = '', length, ...rest] = text.split('/')
  const max = version === 4 ? 32 : 128
  const isLength = length === undefined || (/^(?:0|[1-9]\d{0,2})$/.test(length) && Number(length) <= max)
  return rest.length === 0 && isLength && isIP(address) === version
}
