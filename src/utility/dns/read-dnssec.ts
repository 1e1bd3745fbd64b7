import { TYPES } from '../../engines/dnssec/message.ts'
import { parseName } from '../../engines/dnssec/name.ts'
import type { Delegation } from '../../engines/dnssec/signatures.ts'
import {
  DnsQueryError,
  ROOT_ANCHORS,
  type Security,
  type Validation,
  validateType,
  walkToZone,
  type ZoneLink,
} from '../../engines/dnssec/validate-name.ts'
import { createSignedAsk } from './ask-signed.ts'

export type DnssecOptions = {
  readonly servers: readonly string[]
  readonly timeoutMs?: number
  /** Digests of the root's keys; by default those that IANA publishes. */
  readonly anchors?: readonly Delegation[]
}

export type Dnssec = {
  readonly state: Security
  readonly reason: string | null
  readonly records: Readonly<Record<string, Security>>
  readonly chain: {
    readonly zone: string
    /** In the form of zone files: tag, algorithm, digest type, digest. */
    readonly ds: string[]
    /** Tag, algorithm and flags; the first one is trusted by its digest and signs the others. */
    readonly keys: string[]
  }[]
}

/** Within the 15 seconds of the endpoint. */
const LIMIT_MS = 8_000
const MAX_VERIFICATIONS = 100
const VALIDATED = ['A', 'AAAA', 'MX', 'NS', 'TXT', 'SOA', 'CAA'] as const
/** The state of a name is the worst of its records. */
const WORST_FIRST: readonly Security[] = ['bogus', 'unknown', 'insecure', 'secure']

/** Validates a name's records by their signatures, from the root's keys down; no resolver's word is taken. */
export async function readDnssec(domain: string, options: DnssecOptions): Promise<Dnssec> {
  const { servers, timeoutMs = 2_000, anchors = ROOT_ANCHORS } = options
  const validating = {
    ask: createSignedAsk({ servers, timeoutMs, signal: AbortSignal.timeout(LIMIT_MS) }),
    anchors,
    nowSeconds: Math.floor(Date.now() / 1000),
    budget: { verifications: MAX_VERIFICATIONS },
  }
  const name = parseName(domain)
  try {
    const walk = await walkToZone(name, validating)
    const chain = walk.chain.map(describeZone)
    if (!('zone' in walk)) return { state: walk.state, reason: walk.reason, records: {}, chain }
    const found = await Promise.all(
      VALIDATED.map(
        async (type): Promise<readonly [string, Validation]> => [
          type,
          await validateType({ name, type: TYPES[type], walk }, validating),
        ],
      ),
    )
    const worst = WORST_FIRST.find((state) => found.some(([, validation]) => validation.state === state))
    const first = found.find(([, validation]) => validation.state === worst)?.[1]
    return {
      state: worst ?? 'unknown',
      reason: first?.reason ?? null,
      records: Object.fromEntries(found.map(([type, { state }]) => [type, state])),
      chain,
    }
  } catch (error) {
    // RangeError: records shorter than their type allows.
    if (!(error instanceof DnsQueryError || error instanceof RangeError)) throw error
    const reason = error instanceof DnsQueryError ? error.message : 'malformed records'
    return { state: 'unknown', reason, records: {}, chain: [] }
  }
}

function describeZone({ zone, ds, keys, trusted }: ZoneLink): Dnssec['chain'][number] {
  const trustedFirst = keys.toSorted(
    (one, other) => Number(other.tag === trusted) - Number(one.tag === trusted),
  )
  return {
    zone,
    ds: ds.map((each) => `${each.tag} ${each.algorithm} ${each.digestType} ${each.digest.toString('hex')}`),
    keys: trustedFirst.map(({ tag, algorithm, flags }) => `${tag} ${algorithm} ${flags}`),
  }
}
