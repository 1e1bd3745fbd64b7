import { readBounded } from '@tollbook/http/reply/bounded-body'
import * as z from 'zod'
import { toSellersWords } from '../sellers-words.ts'

/** An operation of a service, as its OpenAPI document describes it. All texts are the seller's, and bounded. */
export type Operation = {
  readonly method: string
  readonly url: string
  readonly summary: string
  /** Dollars; the maximum of a metered call. Null if the document has no price: it may be free. */
  readonly priceUsd: string | null
  readonly description: string
  /** Parameters, request body and answer, with references resolved. @throws Error if it is too long. */
  readonly define: () => unknown
}

const MAX_DOCUMENT_BYTES = 4_000_000
/** What a model reads of one operation, in characters of JSON; those of Tollbook have at most 13,000. */
const MAX_DEFINITION = 32_000
const MAX_PATH = 500
const MAX_SUMMARY = 200
const MAX_TEXT = 2000
const PRICE = /^\d{1,12}(\.\d{1,18})?$/
const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const record = z.record(z.string(), z.unknown())
const amount = z.union([z.string(), z.number()]).transform(String).pipe(z.string().regex(PRICE))
const operationShape = z.looseObject({
  summary: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  'x-payment-info': z
    .object({ price: z.union([z.object({ amount: amount.optional(), max: amount.optional() }), amount]) })
    .optional()
    .catch(undefined),
})

/** Reads `/openapi.json` of an origin. @throws Error if there is none. */
export async function readOperations(origin: string, signal: AbortSignal): Promise<readonly Operation[]> {
  const response = await fetch(`${origin}/openapi.json`, { signal, redirect: 'error' })
  const { bytes, end } = await readBounded(response.body, MAX_DOCUMENT_BYTES)
  if (!response.ok || end !== 'whole')
    throw new Error(`${origin}/openapi.json cannot be read (${response.status})`)
  const document: unknown = JSON.parse(bytes.toString())
  const { paths } = z.object({ paths: z.record(z.string(), record) }).parse(document)
  const named = Object.entries(paths).filter(([path]) => path === toSellersWords(path, MAX_PATH))
  return named.flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = operationShape.safeParse(item[method])
      if (!operation.success) return []
      const { summary = '', description = '', 'x-payment-info': payment, responses, ...rest } = operation.data
      const price = payment?.price
      const answers = Object.entries(record.safeParse(responses).data ?? {})
      const ok = Object.fromEntries(answers.filter(([status]) => status.startsWith('2')))
      return {
        method: method.toUpperCase(),
        url: `${origin}${path}`,
        summary: toSellersWords(summary || description, MAX_SUMMARY),
        priceUsd: (typeof price === 'object' ? (price.amount ?? price.max) : price) ?? null,
        description: toSellersWords(description, MAX_TEXT),
        define: () => resolve({ ...rest, responses: ok }, document),
      }
    }),
  )
}

/** Replaces references within the document; one that contains itself stays a reference. */
function resolve(root: unknown, document: unknown): unknown {
  let size = 0
  const count = <Value>(value: Value): Value => {
    // References may multiply what a short document contains.
    size += (JSON.stringify(value) ?? '').length + 1
    if (size > MAX_DEFINITION) throw new Error('the description of the operation is too long')
    return value
  }
  const visit = (value: unknown, within: readonly string[]): unknown => {
    if (typeof value === 'string') return count(toSellersWords(value, MAX_TEXT))
    if (typeof value !== 'object' || value === null) return count(value)
    count([])
    if (Array.isArray(value)) return value.map((each) => visit(each, within))
    const { $ref } = value as { readonly $ref?: unknown }
    if (typeof $ref !== 'string' || !$ref.startsWith('#/') || within.includes($ref)) {
      const toMember = ([key, each]: [string, unknown]) =>
        [count(toSellersWords(key, MAX_PATH)), visit(each, within)] as const
      return Object.fromEntries(Object.entries(value).map(toMember))
    }
    const keys = $ref.slice(2).split('/')
    const target = keys.reduce<unknown>(
      (at, key) => Object(at)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    )
    return visit(target, [...within, $ref])
  }
  return visit(root, [])
}

/** The operations that have most of the words, first; all of them without words. */
export function rankOperations(operations: readonly Operation[], query: string): readonly Operation[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []
  if (words.length === 0) return operations
  const scored = operations.map((operation) => {
    const title = `${operation.url} ${operation.summary}`.toLowerCase()
    const whole = operation.description.toLowerCase()
    const scoreOf = (word: string) => (title.includes(word) ? 3 : whole.includes(word) ? 1 : 0)
    const score = words.reduce((sum, word) => sum + scoreOf(word), 0)
    return { operation, score }
  })
  return scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ operation }) => operation)
}
