import { type SqlBool, sql } from 'kysely'
import * as z from 'zod'
import { ProblemError } from '../../catalogue/problem.ts'
import { toUsdNumber } from '../../money/usdc.ts'
import type { State } from '../../state/state.ts'
import type { FlagRecord } from '../build/merchant-report.ts'
import type { StoredEdition, StoredReport } from './stored-reports.ts'

/** By what the ranking can be ordered, most first; the first is the order of the ranks. */
export const SORTS = {
  real_usd: 'real_amount',
  usd: 'amount',
  share: 'passing_ppm',
  real_tx: 'real_tx',
  tx: 'tx',
  real_buyers: 'real_buyers',
  buyers: 'buyers',
} as const
export type Sort = keyof typeof SORTS

/** A merchant's line in the ranking; dollars are JSON numbers with two decimals. */
export type RankedMerchant = {
  readonly rank: number | null
  readonly address: string
  readonly name: string
  readonly tx: number
  readonly usd: number
  readonly real_tx: number
  readonly real_usd: number
  readonly buyers: number
  readonly real_buyers: number
  readonly flags: Readonly<Record<string, FlagRecord>>
}

export type RankingQuery = {
  readonly edition: Pick<StoredEdition, 'edition' | 'revision'>
  readonly sort: Sort
  /** Words that must all stand in a merchant's name, address or listings; empty: every merchant. */
  readonly search: string
  /** From 1 to 1,000. */
  readonly limit: number
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

export type RankingPage = {
  readonly merchants: readonly RankedMerchant[]
  readonly nextCursor: string | null
}

/** Beyond this many words a search only gets slower. */
const MOST_WORDS = 8

/**
 * One page of the merchants of an edition. Frozen ones have no place among the paid; a search finds them too.
 * @throws ProblemError `invalid_request` when the cursor is none of ours.
 */
export async function rankMerchants(state: State, query: RankingQuery): Promise<RankingPage> {
  const column = SORTS[query.sort]
  let select = state.db
    .selectFrom('reports')
    .select(['rank', 'address', 'name', 'tx', 'amount', 'real_tx', 'real_amount'])
    .select(['buyers', 'real_buyers', 'flags', 'passing_ppm'])
    .where('edition', '=', query.edition.edition)
    .where('revision', '=', query.edition.revision)
  const words = toWords(query.search)
  if (words.length === 0) select = select.where('is_frozen', '=', 0)
  else select = select.where('address', 'in', findAddresses(state, query, words))
  if (query.cursor !== undefined) {
    const [value, realTx, address] = readCursor(query.cursor)
    select = select.where(({ eb, and, or }) =>
      or([
        eb(column, '<', value),
        and([eb(column, '=', value), eb('real_tx', '<', realTx)]),
        and([eb(column, '=', value), eb('real_tx', '=', realTx), eb('address', '>', address)]),
      ]),
    )
  }
  const rows = await select
    .orderBy(column, 'desc')
    .orderBy('real_tx', 'desc')
    .orderBy('address')
    .limit(query.limit + 1)
    .execute()
  const shown = rows.slice(0, query.limit)
  const last = shown.at(-1)
  return {
    merchants: shown.map(toMerchant),
    nextCursor:
      rows.length > query.limit && last ? writeCursor([last[column], last.real_tx, last.address]) : null,
  }
}

function findAddresses(state: State, { edition }: RankingQuery, words: readonly string[]) {
  const texts = state.db
    .selectFrom('report_texts')
    .select('address')
    .where('edition', '=', edition.edition)
    .where('revision', '=', edition.revision)
  return words.reduce((found, word) => {
    const pattern = `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`
    return found.where(sql<SqlBool>`search_text like ${pattern} escape '\\'`)
  }, texts)
}

function toWords(search: string): readonly string[] {
  return search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MOST_WORDS)
}

type RankedRow = Pick<
  StoredReport,
  | 'rank'
  | 'address'
  | 'name'
  | 'tx'
  | 'amount'
  | 'real_tx'
  | 'real_amount'
  | 'buyers'
  | 'real_buyers'
  | 'flags'
>

function toMerchant(row: RankedRow): RankedMerchant {
  return {
    rank: row.rank,
    address: row.address,
    name: row.name,
    tx: row.tx,
    usd: toUsdNumber(BigInt(row.amount)),
    real_tx: row.real_tx,
    real_usd: toUsdNumber(BigInt(row.real_amount)),
    buyers: row.buyers,
    real_buyers: row.real_buyers,
    // Written by us from the report's own flags.
    flags: JSON.parse(row.flags) as RankedMerchant['flags'],
  }
}

const cursorShape = z.tuple([z.number().int(), z.number().int(), z.string().regex(/^0x[0-9a-f]{40}$/)])
type Cursor = z.output<typeof cursorShape>

function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

function readCursor(text: string): Cursor {
  try {
    return cursorShape.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  } catch (error) {
    const detail = 'The cursor is none that an earlier page gave.'
    throw new ProblemError(
      { code: 'invalid_request', detail, faults: [{ parameter: 'cursor', detail }] },
      { cause: error },
    )
  }
}
