import { GROUP_PREFIX, isGroupKey } from '@tollbook/verify/published/group-key'
import type { StoredEdition } from '../editions/stored-reports.ts'
import type { State } from '../state/state.ts'
import { LINE_COLUMNS, type MerchantLine, toMerchantLine } from './merchant-line.ts'
import { isBehind, type Order, readCursor, toOrderKeys, turn, writeCursor } from './ranking-order.ts'
import { findAddresses, toWords } from './ranking-search.ts'

export type RankedMerchant = MerchantLine & {
  readonly rank: number | null
  readonly address: string
}

export type RankingQuery = Order & {
  readonly edition: Pick<StoredEdition, 'edition' | 'revision'>
  /** From 1 to 1,000. */
  readonly limit: number
  /** Whether the wallets of a merchant group count as one. */
  readonly isByGroup?: boolean | undefined
  /** `nextCursor` or `previousCursor` of another page in the same order. */
  readonly cursor?: string | undefined
}

export type RankingPage = {
  readonly merchants: readonly RankedMerchant[]
  /** Addresses on this page whose last report is from an earlier window. */
  readonly frozen: ReadonlySet<string>
  /** Whether a merchant group is on this page, or a wallet of one. */
  readonly hasGroups: boolean
  readonly nextCursor: string | null
  readonly previousCursor: string | null
}

export const EMPTY_PAGE: RankingPage = {
  merchants: [],
  frozen: new Set(),
  hasGroups: false,
  nextCursor: null,
  previousCursor: null,
}

/**
 * One page of an edition's merchants whose name, address or listings contain all words of `search`, which
 * also finds frozen ones. @throws ProblemError `invalid_request` when the cursor was not issued by this
 * service.
 */
export async function rankMerchants(state: State, query: RankingQuery): Promise<RankingPage> {
  const keys = toOrderKeys(query)
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor, query)
  const isBackwards = cursor?.side === 'before'
  const reading = isBackwards ? keys.map(turn) : keys
  const words = toWords(query.search)
  // Before there were groups, each wallet was a merchant.
  const rankOf = (row: { readonly rank: number | null; readonly operator_rank: number | null }) =>
    query.isByGroup ? (row.operator_rank ?? row.rank) : row.rank
  let select = state.db
    .selectFrom('reports')
    .select(LINE_COLUMNS)
    .select(['rank', 'operator', 'operator_rank', 'address', 'is_frozen'])
    .select(keys.map(({ expression }, at) => expression.as(`key${at}`)))
    .where('edition', '=', query.edition.edition)
    .where('revision', '=', query.edition.revision)
  select = query.isByGroup
    ? select.where('operator', 'is', null)
    : select.where('address', 'not like', `${GROUP_PREFIX}%`)
  if (words.length === 0) select = select.where('is_frozen', '=', 0)
  else select = select.where('address', 'in', findAddresses(state, query.edition, words))
  if (cursor) select = select.where(isBehind(reading, cursor.values))
  for (const { expression, direction } of reading) select = select.orderBy(expression, direction)
  const found = await select.limit(query.limit + 1).execute()
  const hasMore = found.length > query.limit
  const shown = isBackwards ? found.slice(0, query.limit).reverse() : found.slice(0, query.limit)
  const toCursor = (side: 'after' | 'before', row: (typeof shown)[number] | undefined) =>
    row ? writeCursor(query, { side, values: keys.map((_, at) => readKey(row, at)) }) : null
  return {
    merchants: shown.map((row) => ({ rank: rankOf(row), address: row.address, ...toMerchantLine(row) })),
    frozen: new Set(shown.filter((row) => row.is_frozen === 1).map((row) => row.address)),
    hasGroups: shown.some(({ operator, address }) => operator !== null || isGroupKey(address)),
    nextCursor: hasMore || isBackwards ? toCursor('after', shown.at(-1)) : null,
    previousCursor: (isBackwards ? hasMore : cursor) ? toCursor('before', shown[0]) : null,
  }
}

/** Keys are selected under generated names, which the row type does not include. */
function readKey(row: Readonly<Record<string, unknown>>, at: number): number | string {
  const value = row[`key${at}`]
  if (typeof value === 'number' || typeof value === 'string') return value
  throw new TypeError(`sort key ${at} is neither a number nor text`)
}
