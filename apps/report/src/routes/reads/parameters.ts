import type { Address } from '@tollbook/chain/hex'
import type { Issue } from '@tollbook/http/problem'
import type { WindowDays } from '@tollbook/verify/build/window'
import type { RequestedVersion } from '@tollbook/verify/published/edition-name'
import * as z from 'zod'
import { BADGE_METRICS, BADGE_STYLES } from '../../pages/merchant/badge.ts'
import { DIRECTIONS, naturalDirection, type Order, SORTS } from '../../served/ranking-order.ts'

const MAX_PAGE_SIZE = 1000
const MAX_SEARCH_LENGTH = 200

/** Path parameters that do not match are 404, because the path then names nothing. */
export const PATH_PATTERNS = { address: '0[xX][0-9a-fA-F]{40}', week: '\\d{4}-\\d{2}-\\d{2}' } as const

/** A wallet, or a merchant group by its host. */
export const MERCHANT = `(?:${PATH_PATTERNS.address}|host:[\\w.:-]+)`

/** Where a path may name a merchant group in the place of a wallet; clients may encode its colons. */
export const MERCHANT_PATTERNS = {
  ...PATH_PATTERNS,
  address: `(?:${PATH_PATTERNS.address}|host(?::|%3[Aa])(?:[\\w.:-]|%3[Aa])+)`,
} as const

/** A merchant, as links of examples name it. */
export const EXAMPLE_ADDRESS = '0x5e416c1824fe3d1e245328fe1d64fa76095164f9'
export const EXAMPLE_WEEK = '2026-11-15'

/** The wallet in the path, in lower case. */
export const address = z
  .string()
  .regex(new RegExp(`^${PATH_PATTERNS.address}$`), 'must be a wallet address: 0x and 40 hex digits')
  .transform((text) => text.toLowerCase() as Address)
  .describe('Wallet address of the merchant, in any case.')

/** A wallet or a merchant group, in lower case. */
export const merchant = z
  .string()
  .regex(new RegExp(`^${MERCHANT}$`), 'must be a wallet address, or host: and a host name')
  .transform((text) => text.toLowerCase() as Address)
  .describe(
    'Wallet address of the merchant, in any case; or `host:` and the host of a merchant with several wallets.',
  )

export const weekOfPath = z.string().meta({ format: 'date', description: 'Last day of a published week.' })

export const revision = z
  .int()
  .min(1)
  .optional()
  .describe('A revision of the week, starting at 1. Default: the newest.')

export const version = {
  week: z.iso
    .date('must be a date such as 2026-11-15')
    .optional()
    .describe('Last day of a published week. Default: the newest window.'),
  revision,
  days: z
    .enum(['1', '7', '14', '30'] satisfies readonly `${WindowDays}`[])
    .optional()
    .describe('Length of the newest window in days. Default: 7, as of published weeks.'),
} as const

export const order = {
  sort: z.enum(SORTS).optional().describe('Sort key. Default: `real_usd`, or `relevance` if `q` is set.'),
  order: z
    .enum(DIRECTIONS)
    .optional()
    .describe('Sort direction. Default: `asc` for `name`, `desc` (highest first) for every other key.'),
} as const

export const by = z
  .enum(['wallet', 'group', 'operator'])
  .default('wallet')
  .describe(
    'What is ranked: each wallet, or each merchant group, whose wallets count as one. `operator` is the name of `group` until 2.0.',
  )

export const limit = z.int().min(1).max(MAX_PAGE_SIZE).default(100).describe('Max merchants per page.')

export const cursor = z
  .string()
  .max(1000)
  .optional()
  .describe('`next_cursor` of the previous page, with the same `sort` and `order`.')

export const q = z
  .string()
  .max(MAX_SEARCH_LENGTH)
  .default('')
  .transform((text) => text.trim())
  .describe('Search words. Every word must occur in the name, address or listings of a merchant.')

export const metric = z.enum(BADGE_METRICS).default('real_usd').describe('The figure that the badge shows.')

export const style = z.enum(BADGE_STYLES).default('flat').describe('The style of the badge.')

/** Only published weeks have revisions, and only the newest window other lengths. */
export function checkVersion({ week, revision, days }: RequestedVersion): readonly Issue[] {
  if (days !== undefined && week !== undefined)
    return [
      { parameter: 'days', detail: 'cannot be combined with week, because a published week has seven days' },
    ]
  if (revision === undefined || week !== undefined) return []
  return [{ parameter: 'revision', detail: 'requires week, because only published weeks have revisions' }]
}

/** What the reads of a merchant's report, of any window or week, have in common. */
export const MERCHANT_READ = {
  input: z.object({ address: merchant, ...version }),
  example: { address: EXAMPLE_ADDRESS },
  pathPatterns: MERCHANT_PATTERNS,
  check: checkVersion,
} as const

/** The requested order; by default relevance for a search, and real revenue for the ranking. */
export function toOrder(
  requested: { readonly [Name in keyof typeof order]?: z.output<(typeof order)[Name]> },
  search: string,
): Order {
  const sort = requested.sort ?? (search === '' ? 'real_usd' : 'relevance')
  return { sort, direction: requested.order ?? naturalDirection(sort), search }
}
