import { type DnsFailure, type DnsResolver, failureOf, isTransient } from './dns-resolver.ts'

export const COMPARED_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'SOA', 'CAA'] as const
type ComparedType = (typeof COMPARED_TYPES)[number]

type ResolverAnswer = {
  readonly server: string
  readonly records: string[]
  /** Null if there are records. */
  readonly error: DnsFailure | null
}

/** @property agree null if fewer than two resolvers answered */
export type Comparison = {
  readonly type: ComparedType
  readonly agree: boolean | null
  readonly answers: ResolverAnswer[]
}

/** Queries each resolver by itself; they disagree while a change propagates, or where answers depend on place. */
export async function compareResolvers(
  domain: string,
  { type, resolver }: { readonly type: ComparedType; readonly resolver: DnsResolver },
): Promise<Comparison> {
  const answers = await Promise.all(
    resolver.compared.map(async (server): Promise<ResolverAnswer> => {
      const answer = await read(resolver.only(server), { type, domain })
      return { server, records: [...answer.records].sort(), error: failureOf(answer) }
    }),
  )
  const answered = answers.filter(({ error }) => !isTransient(error))
  const texts = new Set(answered.map(({ records, error }) => JSON.stringify([records, error])))
  return { type, agree: answered.length < 2 ? null : texts.size === 1, answers }
}

async function read(
  resolver: DnsResolver,
  { type, domain }: { readonly type: ComparedType; readonly domain: string },
) {
  const method = type.toLowerCase() as Lowercase<ComparedType>
  const answer = await resolver[method](domain)
  return { ...answer, records: answer.records.map(renderRecord) }
}

function renderRecord(record: unknown): string {
  if (typeof record !== 'object' || record === null) return String(record)
  return Object.entries(record)
    .filter(([name]) => name !== 'type')
    .map(([name, value]) => (name === 'exchange' || name === 'priority' ? String(value) : `${name}=${value}`))
    .join(' ')
}
