import { parseJson } from '@tollbook/flow/parse-json'
import { ProblemError } from '@tollbook/http/problem'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import * as z from 'zod'
import { relevanceOf, toWords } from './ranking-search.ts'

/** The sort keys for merchants; the first is the order of the ranks. */
export const SORTS = [
  'real_usd',
  'usd',
  'share',
  'real_tx',
  'tx',
  'real_buyers',
  'buyers',
  'effective_buyers',
  'returning_buyers',
  'flagged_tx',
  'name',
  'relevance',
] as const
export type Sort = (typeof SORTS)[number]

export const DIRECTIONS = ['desc', 'asc'] as const
export type Direction = (typeof DIRECTIONS)[number]

/** The order of the merchants of a query; the address makes the order total. */
export type Order = { readonly sort: Sort; readonly direction: Direction; readonly search: string }

/** One sort expression and its direction. */
export type OrderKey = {
  readonly expression: RawBuilder<number | string>
  readonly direction: Direction
  readonly isText: boolean
}

/** Where a page ends or begins: the keys of a row, and on which side of it the page is. */
export type Cursor = { readonly side: 'after' | 'before'; readonly values: readonly (number | string)[] }

/** The default direction of a sort key: names ascending, figures and relevance descending. */
export function naturalDirection(sort: Sort): Direction {
  return sort === 'name' ? 'asc' : 'desc'
}

/** The keys of an order, the most significant first. */
export function toOrderKeys({ sort, direction, search }: Order): readonly OrderKey[] {
  const isTurned = direction !== naturalDirection(sort)
  return naturalKeys(sort, search).map((key) => (isTurned ? turn(key) : key))
}

/** The same order reversed, to read the page before a row. */
export function turn(key: OrderKey): OrderKey {
  return { ...key, direction: key.direction === 'asc' ? 'desc' : 'asc' }
}

/** Whether a row comes after the values in the order of the keys. */
export function isBehind(keys: readonly OrderKey[], values: Cursor['values']): RawBuilder<SqlBool> {
  const steps = keys.map((key, at) => {
    const equal = keys.slice(0, at).map(({ expression }, index) => sql`${expression} = ${values[index]}`)
    const beyond = sql`${key.expression} ${sql.raw(key.direction === 'desc' ? '<' : '>')} ${values[at]}`
    return sql`(${sql.join([...equal, beyond], sql` and `)})`
  })
  return sql<SqlBool>`(${sql.join(steps, sql` or `)})`
}

function naturalKeys(sort: Sort, search: string): readonly OrderKey[] {
  const most = (expression: RawBuilder<number>): OrderKey => ({
    expression,
    direction: 'desc',
    isText: false,
  })
  const column = (name: string) => most(sql.ref<number>(`reports.${name}`))
  const address: OrderKey = { expression: sql.ref('reports.address'), direction: 'asc', isText: true }
  const rest = [column('real_tx'), address]
  switch (sort) {
    case 'real_usd':
      return [column('real_amount'), ...rest]
    case 'usd':
      return [column('amount'), ...rest]
    case 'share':
      return [column('passing_ppm'), ...rest]
    case 'real_tx':
    case 'tx':
    case 'real_buyers':
    case 'buyers':
    case 'returning_buyers':
      return [column(sort), ...rest]
    case 'effective_buyers':
      return [column('effective_buyers_hundredths'), ...rest]
    case 'flagged_tx':
      return [most(sql<number>`(reports.tx - reports.real_tx)`), ...rest]
    case 'name':
      return [{ ...address, expression: sql.ref('reports.name') }, address]
    case 'relevance': {
      const words = toWords(search)
      const likeness = words.length === 0 ? [] : [most(relevanceOf(words))]
      return [...likeness, column('real_amount'), ...rest]
    }
    default:
      return sort satisfies never
  }
}

const cursorShape = z.tuple([
  z.enum(SORTS),
  z.enum(DIRECTIONS),
  z.enum(['after', 'before']),
  // PostgreSQL accepts no text with NUL.
  z
    .array(
      z.union([
        z.number().int(),
        z
          .string()
          .max(300)
          .regex(/^[^\0]*$/),
      ]),
    )
    .max(4),
])

/** A cursor as clients receive it: opaque, and valid only for the order that issued it. */
export function writeCursor({ sort, direction }: Order, { side, values }: Cursor): string {
  return Buffer.from(JSON.stringify([sort, direction, side, values])).toString('base64url')
}

/** @throws ProblemError `invalid_request` when this order did not issue the cursor. */
export function readCursor(text: string, order: Order): Cursor {
  const parsed = cursorShape.safeParse(parseJson(Buffer.from(text, 'base64url')))
  if (!parsed.success) throw refuseCursor('The cursor is invalid (expected next_cursor of an earlier page).')
  const [sort, direction, side, values] = parsed.data
  if (sort !== order.sort || direction !== order.direction)
    throw refuseCursor(`The cursor belongs to sort=${sort}&order=${direction}.`)
  const keys = toOrderKeys(order)
  const fits =
    values.length === keys.length &&
    keys.every(({ isText }, at) => isText === (typeof values[at] === 'string'))
  if (!fits) throw refuseCursor('The cursor is invalid (expected next_cursor of an earlier page).')
  return { side, values }
}

function refuseCursor(detail: string): ProblemError {
  return new ProblemError({ code: 'invalid_request', detail, issues: [{ parameter: 'cursor', detail }] })
}
