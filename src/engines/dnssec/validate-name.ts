import { type Denial, provesWildcard, readDenial } from './denial.ts'
import { type DnsMessage, type DnsRecord, readName, TYPES } from './message.ts'
import { equalNames, lastLabels, type Name, renderName } from './name.ts'
import {
  type Delegation,
  matchesDelegation,
  parseDelegation,
  parseKey,
  type RecordSet,
  supportedDelegations,
  type VerifyOptions,
  verifyRecords,
  type ZoneKey,
} from './signatures.ts'

/** RFC 4035 section 4.3; `unknown` is its "indeterminate". */
export type Security = 'secure' | 'insecure' | 'bogus' | 'unknown'

/** One zone of the chain of trust, from the root down. */
export type ZoneLink = {
  readonly zone: string
  readonly ds: readonly Delegation[]
  readonly keys: readonly ZoneKey[]
  /** The key that a digest of the parent matches and that signed the others. */
  readonly trusted: number
}

export type Validation = {
  readonly state: Security
  /** Null if secure. */
  readonly reason: string | null
  readonly chain: readonly ZoneLink[]
}

export type ValidateOptions = {
  /** @throws {DnsQueryError} */
  readonly ask: (name: Name, type: number) => Promise<DnsMessage>
  /** Digests of the root's keys. */
  readonly anchors: readonly Delegation[]
  readonly nowSeconds: number
  readonly budget: { verifications: number }
}

/** An answer that no transport could get; ends a validation as `unknown`. */
export class DnsQueryError extends Error {
  override name = 'DnsQueryError'
}

/** IANA root key digests of 2017 and 2024: https://data.iana.org/root-anchors/root-anchors.xml. */
export const ROOT_ANCHORS: readonly Delegation[] = [
  parseAnchor('20326 8 2 e06d44b80b8f1d39a95c0b0d7c65d08458e880409bbc683457104237c7f8ec8d'),
  parseAnchor('38696 8 2 683d2d0acb8c9b712a1948b27f741219298d0a450d612c483af444a4c0fb2b16'),
]

/** The absence of a name takes at most three records (RFC 5155 section 7.2.2); each is compared with all others. */
const MAX_PROOFS = 8
/** Follows the chain that a parent zone's aliases may take. */
const MAX_ALIASES = 8

type Zone = { readonly name: Name; readonly keys: readonly ZoneKey[] }
/** A zone whose keys are verified, or the state in which the chain ends above the name. */
type Walk = { readonly chain: readonly ZoneLink[] } & (
  | { readonly zone: Zone }
  | { readonly state: Security; readonly reason: string }
)
type Step =
  | { readonly zone: Zone; readonly link: ZoneLink }
  | { readonly state: Security; readonly reason: string }
  | null

/** @param text `<tag> <algorithm> <digest type> <digest>` in hexadecimal, as in a DS record */
export function parseAnchor(text: string): Delegation {
  const [tag, algorithm, digestType, digest = ''] = text.split(' ')
  return {
    tag: Number(tag),
    algorithm: Number(algorithm),
    digestType: Number(digestType),
    digest: Buffer.from(digest, 'hex'),
  }
}

export async function walkToZone(name: Name, options: ValidateOptions): Promise<Walk> {
  const root = await enterZone([], { delegations: options.anchors, options })
  if (!('zone' in root)) return { ...root, chain: [] }
  const chain: ZoneLink[] = [root.link]
  let { zone } = root
  for (let labels = 1; labels <= name.length; labels++) {
    const step = await stepDown(lastLabels(name, labels), { zone, options })
    if (step === null) continue
    if (!('zone' in step)) return { ...step, chain }
    chain.push(step.link)
    zone = step.zone
  }
  return { zone, chain }
}

/** The state of a name's records of a type, or of their absence; aliases are followed. */
export async function validateType(
  { name, type, walk }: { readonly name: Name; readonly type: number; readonly walk: Walk },
  options: ValidateOptions,
): Promise<Validation> {
  let [current, place] = [name, walk]
  for (let hop = 0; hop <= MAX_ALIASES; hop++) {
    if (!('zone' in place)) return { state: place.state, reason: place.reason, chain: walk.chain }
    const message = await options.ask(current, type)
    const alias = type === TYPES.CNAME ? null : setOf(message.answers, current, TYPES.CNAME)
    const set = alias ?? setOf(message.answers, current, type)
    const { state, reason } = checkAnswer({ name: current, type, set, message, zone: place.zone }, options)
    if (state !== 'secure' || alias === null) return { state, reason, chain: walk.chain }
    ;[current] = readName(alias.records[0]?.data ?? Buffer.of(0), 0)
    place = await walkToZone(current, options)
  }
  return { state: 'unknown', reason: 'too many aliases', chain: walk.chain }
}

type Answer = {
  readonly name: Name
  readonly type: number
  readonly set: RecordSet | null
  readonly message: DnsMessage
  readonly zone: Zone
}

function checkAnswer(
  { name, type, set, message, zone }: Answer,
  options: ValidateOptions,
): { readonly state: Security; readonly reason: string | null } {
  const proofs = verifiedProofs(message, zone, options)
  if (set !== null) {
    if (message.answers.some((record) => record.type === TYPES.DNAME))
      return { state: 'unknown', reason: 'redirections of subtrees (DNAME) are not followed' }
    const verdict = verifyRecords(set, verifying(zone, message.answers, options))
    if (!verdict.isValid) return { state: 'bogus', reason: verdict.reason }
    const isWildcard = verdict.labels < name.length && name[0] !== '*'
    if (isWildcard && !provesWildcard(proofs, { name, zone: zone.name, labels: verdict.labels }))
      return { state: 'bogus', reason: `nothing proves that ${renderName(name)} itself does not exist` }
    return { state: 'secure', reason: null }
  }
  return fromDenial(readDenial(proofs, { name, type, zone: zone.name }), name)
}

function fromDenial(
  denial: Denial,
  name: Name,
): { readonly state: Security; readonly reason: string | null } {
  const what = renderName(name)
  if (denial === 'no_data' || denial === 'no_name') return { state: 'secure', reason: null }
  if (denial === 'delegation') return { state: 'insecure', reason: `the zone ${what} has no DS record` }
  if (denial === 'opt_out') return { state: 'insecure', reason: `its zone opts out of proofs for ${what}` }
  if (denial === 'costly')
    return { state: 'insecure', reason: 'its zone has too many NSEC3 iterations (RFC 9276)' }
  return { state: 'bogus', reason: `no signed record proves the absence of records at ${what}` }
}

/** The zone that begins at the name, if one does; null if the name belongs to the same zone. */
async function stepDown(
  name: Name,
  { zone, options }: { readonly zone: Zone; readonly options: ValidateOptions },
): Promise<Step> {
  const message = await options.ask(name, TYPES.DS)
  const set = setOf(message.answers, name, TYPES.DS)
  if (set === null) {
    // An alias or a redirection cannot be where a zone begins.
    if (message.answers.some(({ type }) => type === TYPES.CNAME || type === TYPES.DNAME)) return null
    const denial = readDenial(verifiedProofs(message, zone, options), {
      name,
      type: TYPES.DS,
      zone: zone.name,
    })
    if (denial === 'no_data' || denial === 'no_name') return null
    const { state, reason } = fromDenial(denial, name)
    return { state, reason: reason ?? '' }
  }
  const verdict = verifyRecords(set, verifying(zone, message.answers, options))
  if (!verdict.isValid) return { state: 'bogus', reason: verdict.reason }
  return enterZone(name, { delegations: set.records.map(parseDelegation), options })
}

/** Verifies the keys of a zone by the digests that its parent publishes (RFC 4035 section 5.2). */
async function enterZone(
  name: Name,
  {
    delegations,
    options,
  }: { readonly delegations: readonly Delegation[]; readonly options: ValidateOptions },
): Promise<NonNullable<Step>> {
  const what = renderName(name)
  const usable = supportedDelegations(delegations)
  if (usable.length === 0)
    return { state: 'insecure', reason: `the algorithms of the DS records of ${what} are not supported` }
  const message = await options.ask(name, TYPES.DNSKEY)
  const set = setOf(message.answers, name, TYPES.DNSKEY)
  if (set === null) {
    // Without the root's keys it is the resolver that has no DNSSEC.
    if (name.length === 0) return { state: 'unknown', reason: 'the resolver returns no DNSSEC records' }
    return { state: 'bogus', reason: `${what} has a DS record, but no DNSKEY` }
  }
  const keys = set.records.filter(({ data }) => data.length > 4).map(parseKey)
  const anchored = keys.filter((key) => usable.some((ds) => matchesDelegation(key, ds, name)))
  if (anchored.length === 0) return { state: 'bogus', reason: `no key of ${what} matches its DS records` }
  const verdict = verifyRecords(set, verifying({ name, keys: anchored }, message.answers, options))
  if (!verdict.isValid) return { state: 'bogus', reason: verdict.reason }
  const link = { zone: what, ds: delegations, keys, trusted: verdict.tag }
  return { zone: { name, keys }, link }
}

function verifying(zone: Zone, records: readonly DnsRecord[], options: ValidateOptions): VerifyOptions {
  const { nowSeconds, budget } = options
  const signatures = records.filter(({ type }) => type === TYPES.RRSIG)
  return { zone: zone.name, keys: zone.keys, signatures, nowSeconds, budget }
}

/** The NSEC and NSEC3 records of an answer whose signatures are valid. */
function verifiedProofs(message: DnsMessage, zone: Zone, options: ValidateOptions): readonly RecordSet[] {
  const { authorities } = message
  const sets: RecordSet[] = []
  for (const { owner, type } of authorities) {
    if (sets.length === MAX_PROOFS) break
    if (type !== TYPES.NSEC && type !== TYPES.NSEC3) continue
    if (sets.some((other) => other.type === type && equalNames(other.owner, owner))) continue
    sets.push(setOf(authorities, owner, type) ?? { owner, type, records: [] })
  }
  const signed = verifying(zone, authorities, options)
  return sets.filter((set) => verifyRecords(set, signed).isValid)
}

function setOf(records: readonly DnsRecord[], owner: Name, type: number): RecordSet | null {
  const own = records.filter((record) => record.type === type && equalNames(record.owner, owner))
  return own.length > 0 ? { owner, type, records: own } : null
}
