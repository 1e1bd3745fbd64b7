import type { Headers } from '../../../fetching/fetched-answer.ts'
import { CDN_MARKS } from './cdn-marks.ts'

export type CdnEvidence = {
  readonly provider: string
  readonly source: 'header' | 'name'
  /** A header line, or a name: the host's own, or one that it is an alias of. */
  readonly seen: string
}

type Seen = {
  readonly headers: Headers
  /** The host that responded, and the names that it is an alias of. */
  readonly names: readonly string[]
}

const MAX_SEEN_LENGTH = 200
/** Marks occur at the beginning of a value, or within the first few hops. */
const MAX_READ_LENGTH = 1_000

/** Evidence of CDNs in front of a host; headers first, since they belong to this very response. */
export function detectCdn({ headers, names }: Seen): readonly CdnEvidence[] {
  const byHeader = CDN_MARKS.flatMap(({ provider, headers: marks }) =>
    Object.entries(marks).flatMap(([name, value]): readonly CdnEvidence[] => {
      const sent = headers[name]
      if (sent === undefined || !value.test(sent.slice(0, MAX_READ_LENGTH))) return []
      return [{ provider, source: 'header', seen: `${name}: ${sent}`.slice(0, MAX_SEEN_LENGTH) }]
    }),
  )
  const byName = CDN_MARKS.flatMap(({ provider, domains }) =>
    names
      .filter((name) => domains.some((domain) => isBelow(name, domain)))
      .map((name): CdnEvidence => ({ provider, source: 'name', seen: name })),
  )
  return [...byHeader, ...byName]
}

function isBelow(name: string, domain: string): boolean {
  const plain = name.toLowerCase().replace(/\.$/, '')
  return plain === domain || plain.endsWith(`.${domain}`)
}
