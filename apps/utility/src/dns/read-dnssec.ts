import { type DnsReply, queryServer } from './query-server.ts'

export type DnssecOptions = {
  readonly servers: readonly string[]
  readonly timeoutMs?: number
}

/** RFC 4035 section 4.3; `unknown` is its "indeterminate". */
export type Security = 'secure' | 'insecure' | 'bogus' | 'unknown'

export type Dnssec = {
  readonly state: Security
  /** Null if secure. */
  readonly reason: string | null
  /** The server that reports the state; null if none validates. */
  readonly resolver: string | null
  readonly records: Readonly<Record<string, Security>>
}

type Verdict = { readonly state: Security; readonly reason: string | null }
type Ask = (name: string, type: number, options?: { readonly isUnchecked: boolean }) => Promise<DnsReply>

/** Within the 15 seconds of the endpoint. */
const LIMIT_MS = 8_000
/** Numbers of record types (IANA, DNS parameters). */
const TYPES = { A: 1, AAAA: 28, MX: 15, NS: 2, TXT: 16, SOA: 6, CAA: 257 } as const
const [NO_ERROR, SERVER_FAILURE, NO_NAME] = [0, 2, 3]
/** The state of a name is the worst of its records. */
const WORST_FIRST: readonly Security[] = ['bogus', 'unknown', 'insecure', 'secure']

/**
 * What a validating resolver reports about a name's records by the AD bit (RFC 6840 section 5.8). Nothing is
 * verified here, and the answer's path is not authenticated.
 */
export async function readDnssec(domain: string, options: DnssecOptions): Promise<Dnssec> {
  const { servers, timeoutMs = 2_000 } = options
  const signal = AbortSignal.timeout(LIMIT_MS)
  let reason = 'no resolver answered'
  for (const server of servers) {
    const ask: Ask = (name, type, { isUnchecked } = { isUnchecked: false }) =>
      queryServer({ name, type, isUnchecked }, { server, timeoutMs, signal })
    // The root is signed. A resolver that does not authenticate it does not validate, and the absence of its AD
    // bit proves nothing about other names.
    const root = await ask('', TYPES.SOA)
    if (root === null) continue
    if (root.isAuthentic) return readTypes(domain, { server, ask })
    reason = 'no resolver validates'
  }
  return { state: 'unknown', reason, resolver: null, records: {} }
}

async function readTypes(
  domain: string,
  { server, ask }: { readonly server: string; readonly ask: Ask },
): Promise<Dnssec> {
  const found = await Promise.all(
    Object.entries(TYPES).map(async ([name, type]) => ({ name, ...(await judge(domain, { type, ask })) })),
  )
  const worst = WORST_FIRST.find((state) => found.some((verdict) => verdict.state === state)) ?? 'unknown'
  return {
    state: worst,
    reason: found.find(({ state }) => state === worst)?.reason ?? null,
    resolver: server,
    records: Object.fromEntries(found.map(({ name, state }) => [name, state])),
  }
}

async function judge(
  domain: string,
  { type, ask }: { readonly type: number; readonly ask: Ask },
): Promise<Verdict> {
  const reply = await ask(domain, type)
  if (reply === null) return { state: 'unknown', reason: 'the resolver did not answer' }
  if (isAnswer(reply)) {
    if (reply.isAuthentic) return { state: 'secure', reason: null }
    return { state: 'insecure', reason: 'the resolver found no chain of trust to its records' }
  }
  // A server failure is what a resolver returns for records that fail its validation (RFC 4035 section 5.5).
  // If it is bogus, the same question with checking disabled is answered.
  if (reply.code === SERVER_FAILURE) {
    const unchecked = await ask(domain, type, { isUnchecked: true })
    if (unchecked && isAnswer(unchecked))
      return { state: 'bogus', reason: 'the resolver rejects its records, which fail validation' }
  }
  return { state: 'unknown', reason: `the resolver answered with the error code ${reply.code}` }
}

function isAnswer({ code }: NonNullable<DnsReply>): boolean {
  return code === NO_ERROR || code === NO_NAME
}
