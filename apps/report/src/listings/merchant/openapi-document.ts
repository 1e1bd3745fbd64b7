import { type AtomicUsdc, parseUsd } from '@tollbook/chain/usdc'
import { normaliseItem } from '@tollbook/endpoints/discovery/normalise-item'
import { toPlainText } from '@tollbook/flow/plain-text'
import * as z from 'zod'
import { type Candidate, MAX_URL_LENGTH, type Stated, toMethod, toOwnResource } from './stated.ts'

/** More operations than any known document has. */
const MAX_OPERATIONS = 2000

const text = z.string().catch('')
const object = z.record(z.string(), z.unknown())
const serversShape = z
  .array(
    z
      .object({ url: z.string(), variables: z.record(z.string(), z.object({ default: text })).catch({}) })
      .nullable()
      .catch(null),
  )
  .optional()
  .catch(undefined)
const documentShape = z.object({
  servers: serversShape,
  paths: z.record(z.string(), object.catch({})).catch({}),
})
const pathShape = z.object({ servers: serversShape })
const operationShape = z.object({
  servers: serversShape,
  summary: text,
  description: text,
  'x-payment-info': object.catch({}),
})
type Servers = z.output<typeof serversShape>

/**
 * Reads `/openapi.json`: operations with a price in `x-payment-info` (x402scan, docs/DISCOVERY.md).
 * Requirements in it make a listing; otherwise the 402 has them. @param base URL of the document: servers
 * are resolved against it (OpenAPI 3.1, Server Object), and those on other origins omitted.
 */
export function readOpenApi(document: unknown, base: string, readAt: Date): Stated {
  const parsed = documentShape.safeParse(document)
  const listings: Stated['listings'][number][] = []
  const candidates: Candidate[] = []
  // Each list of servers is read once, not once for each operation: a document may have thousands of both.
  const serverOfAll = toServer(parsed.data?.servers, base)
  const operations = Object.entries(parsed.data?.paths ?? {}).flatMap(([path, item]) => {
    const servers = pathShape.safeParse(item).data?.servers
    const server = servers ? toServer(servers, base) : serverOfAll
    return Object.entries(item).map(([method, operation]) => ({ path, server, method, operation }))
  })
  for (const { path, server, method, operation } of operations.slice(0, MAX_OPERATIONS)) {
    const checked = operationShape.safeParse(operation)
    if (toMethod(method) === '' || !checked.success) continue
    const payment = readPayment(checked.data['x-payment-info'])
    if (!payment) continue
    const { servers } = checked.data
    const resource = toResource(path, servers ? toServer(servers, base) : server, base)
    if (!resource) continue
    const described = { method, description: checked.data.description || checked.data.summary }
    const stated = normaliseItem({ ...described, resource, accepts: payment.accepts }, readAt)
    listings.push(...stated)
    if (stated.length === 0) {
      const description = toPlainText(described.description.slice(0, 4000))
      candidates.push({ resource, operation: toMethod(method), description })
    }
  }
  return { listings, candidates }
}

/** The first server of the document's own origin; `/` if there are no servers. */
function toServer(servers: Servers, base: string): string | null {
  const known = (servers ?? []).filter((server) => server !== null)
  for (const { url, variables } of known.length > 0 ? known : [{ url: '/', variables: {} }]) {
    const server = toOwnResource(fillServer(url, variables), base)
    if (server) return server.replace(/\/+$/, '')
  }
  return null
}

/** A path is appended to the server's URL, not resolved against it (OpenAPI 3.1, Paths Object). */
function toResource(path: string, server: string | null, base: string): string | null {
  return server === null ? null : toOwnResource(server + (path.startsWith('/') ? path : `/${path}`), base)
}

/** A server's URL with its variables; cut once it is longer than any URL that is read. */
function fillServer(url: string, variables: Readonly<Record<string, { readonly default: string }>>): string {
  let filled = ''
  for (const part of url.slice(0, MAX_URL_LENGTH + 1).split(/(\{\w+\})/)) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    filled += name === undefined ? part : (variables[name]?.default ?? '').slice(0, MAX_URL_LENGTH + 1)
    if (filled.length > MAX_URL_LENGTH) break
  }
  return filled
}

/**
 * Reads the dialects of `x-payment-info`: `price` as text, `{ amount }` or `{ min, max }`, or `minPrice` and
 * `maxPrice`; `protocols` as names or as `{ x402: terms }`. Null without a price, as for a free operation.
 */
function readPayment(info: Record<string, unknown>): { readonly accepts: readonly unknown[] } | null {
  const price = object.safeParse(info.price).data ?? { amount: info.price }
  const stated = [price.amount, price.max, info.maxPrice].map(parseStatedPrice)
  const amount = stated.find((each) => each !== null) ?? null
  const protocols = z.array(z.unknown()).catch([]).parse(info.protocols)
  const terms = protocols
    .map((protocol) => object.safeParse(object.safeParse(protocol).data?.x402).data)
    .filter((each) => each !== undefined)
  if (amount === null && !terms.some((each) => 'amount' in each || 'maxAmountRequired' in each)) return null
  // The requirements state the amount; otherwise the price does.
  return { accepts: terms.map((each) => ({ ...(amount !== null && { amount: `${amount}` }), ...each })) }
}

/** Reads `0.01`, `$0.01`, `0.01 USD` or a number; null for anything else and more than six decimals. */
export function parseStatedPrice(value: unknown): AtomicUsdc | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const match = /^\$?\s*(\d{1,9}(?:\.\d{1,6}0*)?)\s*(?:USDC?|\$)?$/i.exec(String(value).trim())
  if (!match?.[1]) return null
  const [whole = '0', fraction = ''] = match[1].split('.')
  return parseUsd(fraction === '' ? whole : `${whole}.${fraction.slice(0, 6)}`)
}
