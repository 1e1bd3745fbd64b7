import {
  type DnsFailure,
  type DnsResolver,
  failureOf,
  isTransient,
  type MxRecord,
} from '../dns/dns-resolver.ts'
import { sortMx } from '../dns/read-records.ts'
import { loadKnownDomains } from '../engines/email/known-domains.ts'
import { normaliseAddress } from '../engines/email/normalise-address.ts'
import { type ParsedAddress, parseAddress } from '../engines/email/parse-address.ts'
import { isRoleAccount } from '../engines/email/role-accounts.ts'
import { suggestDomain } from '../engines/email/suggest-domain.ts'

/** No mail server is asked, so that no address is known to be deliverable. */
export type Verdict = 'risky' | 'undeliverable' | 'unknown'

export type Verification = {
  readonly parsed: ParsedAddress
  readonly normalized: string | null
  /** Null if there was no domain to look up. */
  readonly route: MailRoute | null
  readonly isDisposable: boolean
  readonly isRole: boolean
  readonly isFree: boolean
  readonly tag: string | null
  readonly suggestion: string | null
  readonly verdict: Verdict
  /** Codes of the reasons for the verdict. */
  readonly reasons: readonly string[]
  /** 0 to 100: confidence that mail arrives. */
  readonly score: number
}

type MailRoute = {
  /** By preference; the domain itself if it is implicit. */
  readonly records: readonly MxRecord[]
  /** No MX record, but an address of the domain itself, which then receives the mail (RFC 5321 section 5.1). */
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

/** The score of a mailbox that was not asked for, at a domain with mail servers. */
const BEST_SCORE = 60
/** What each reason subtracts from it. */
const DOUBTS: Readonly<Record<string, number>> = {
  disposable: 60,
  implicit_mx: 25,
  unusual_form: 25,
  address_literal: 50,
  likely_typo: 40,
  role: 15,
  smtputf8_required: 20,
  not_assigned: 60,
}

/** Judges an address by its form and the DNS; no mail server is contacted. */
export async function verifyAddress(email: string, resolver: DnsResolver): Promise<Verification> {
  const parsed = parseAddress(email)
  const ascii = parsed.domain?.ascii ?? null
  const isMailbox = parsed.isMailbox && parsed.local !== null && parsed.domain !== null
  const normal = isMailbox
    ? normaliseAddress(parsed.local.text, ascii ?? parsed.domain.text.toLowerCase())
    : null
  const route = isMailbox && ascii !== null ? await findMailRoute(ascii, resolver) : null
  const lists = await loadKnownDomains()
  const known = {
    isDisposable: ascii !== null && lists.isDisposable(ascii),
    isFree: ascii !== null && lists.isFree(ascii),
    isRole: normal !== null && isRoleAccount(normal.base),
  }
  const typo = ascii === null ? null : suggestDomain(ascii)
  const suggestion = typo === null ? null : `${parsed.local?.text ?? ''}@${typo}`
  const isAssignable = normal?.isAssignable ?? true
  const signs = { parsed, route, ...known, isTypo: typo !== null, isAssignable }
  return {
    parsed,
    route,
    suggestion,
    ...known,
    normalized: normal?.address ?? null,
    tag: normal?.tag ?? null,
    ...judge(signs),
  }
}

type Signs = {
  readonly parsed: ParsedAddress
  readonly route: MailRoute | null
  readonly isDisposable: boolean
  readonly isRole: boolean
  readonly isTypo: boolean
  readonly isAssignable: boolean
}

function judge({ parsed, route, isDisposable, isRole, isTypo, isAssignable }: Signs) {
  const obstacle = findObstacle(parsed, route)
  if (obstacle !== null) return { verdict: 'undeliverable' as const, reasons: [obstacle], score: 0 }
  if (route !== null && route.failure !== null)
    return { verdict: 'unknown' as const, reasons: [`dns_${route.failure}`], score: 40 }
  const doubts = [
    isDisposable && 'disposable',
    route?.isImplicit && 'implicit_mx',
    route === null && 'address_literal',
    route !== null && parsed.category === 'rfc5321' && 'unusual_form',
    isTypo && 'likely_typo',
    isRole && 'role',
    !isAssignable && 'not_assigned',
    // Servers without this extension refuse it (RFC 6531 section 3.4); the DNS does not show which have it.
    /[^\0-\x7f]/.test(parsed.local?.text ?? '') && 'smtputf8_required',
  ].filter((doubt) => typeof doubt === 'string')
  const score = doubts.reduce((left, doubt) => left - (DOUBTS[doubt] ?? 0), BEST_SCORE)
  // A role account accepts mail like any other; it only belongs to no single person.
  const verdict: Verdict = doubts.some((doubt) => doubt !== 'role') ? 'risky' : 'unknown'
  const found = route !== null && !route.isImplicit ? ['mx_found'] : []
  return { verdict, reasons: [...found, ...doubts, 'mailbox_unchecked'], score: Math.max(5, score) }
}

function findObstacle(parsed: ParsedAddress, route: MailRoute | null): string | null {
  if (!parsed.isMailbox) return 'syntax'
  if (route === null || route.failure !== null) return null
  if (!route.isRegistered) return 'domain_not_found'
  if (route.isRefused) return 'null_mx'
  return route.records.length === 0 ? 'no_mail_server' : null
}

/** @param domain in DNS form */
async function findMailRoute(domain: string, resolver: DnsResolver): Promise<MailRoute> {
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
