import { normaliseItem } from '@tollbook/endpoints/discovery/normalise-item'
import { toPlainText } from '@tollbook/flow/plain-text'
import * as z from 'zod'
import { type Candidate, type Stated, toMethod, toOwnResource } from './stated.ts'

/** More than any known document has; each costs at least a line of the report. */
const MAX_ENTRIES = 2000

const text = z.string().max(4000).catch('')
const entryShape = z.union([
  // `https://…`, `/path` or `POST /path`.
  z.string().transform((line) => {
    const [, method = '', url = ''] = /^(?:([A-Za-z]+)\s+)?(\S+)$/.exec(line.trim()) ?? []
    return { url, method, description: '', accepts: [] as unknown[] }
  }),
  z
    .looseObject({
      resource: z.union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)]).catch(''),
      url: text,
      path: text,
      method: text,
      description: text,
      accepts: z.array(z.unknown()).catch([]),
    })
    .transform((entry) => ({ ...entry, url: entry.resource || entry.url || entry.path })),
])
const listOf = z.array(entryShape.nullable().catch(null)).catch([])
const documentShape = z.object({
  resources: listOf.optional(),
  endpoints: listOf.optional(),
  items: listOf.optional(),
})

/** Reads `/.well-known/x402` (x402scan, docs/DISCOVERY.md): paid URLs of the origin of `base`. */
export function readWellKnown(document: unknown, base: string, readAt: Date): Stated {
  const { resources = [], endpoints = [], items = [] } = documentShape.safeParse(document).data ?? {}
  const listings: Stated['listings'][number][] = []
  const candidates: Candidate[] = []
  for (const entry of [...resources, ...endpoints, ...items].slice(0, MAX_ENTRIES)) {
    const resource = entry && toOwnResource(entry.url, base)
    if (!resource) continue
    const stated = normaliseItem({ ...entry, resource, lastUpdated: undefined }, readAt)
    listings.push(...stated)
    const operation = toMethod(entry.method)
    if (stated.length === 0)
      candidates.push({ resource, operation, description: toPlainText(entry.description) })
  }
  return { listings, candidates }
}
