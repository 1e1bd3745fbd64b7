import type { RequestedVersion } from '@tollbook/verify/published/edition-name'
import { type Direction, naturalDirection, type Order, type Sort } from '../served/ranking-order.ts'

export type RankingPlace = RequestedVersion & {
  /** `/search` for results. */
  readonly path: '/' | '/search'
  /** What is ranked; absent for wallets. */
  readonly by?: 'wallet' | 'group' | 'operator' | undefined
  readonly order: Order
}

export type RankingChange = {
  readonly sort?: Sort
  readonly direction?: Direction
  /** Null for the first page. */
  readonly cursor: string | null
}

/** A link to the same merchants in another order or on another page; default values are omitted. */
export function toRankingHref(
  { path, week, revision, days, by, order }: RankingPlace,
  change: RankingChange,
): string {
  const sort = change.sort ?? order.sort
  const direction = change.direction ?? (change.sort === undefined ? order.direction : naturalDirection(sort))
  const usual: Sort = order.search === '' ? 'real_usd' : 'relevance'
  const query = new URLSearchParams({
    ...(path === '/search' && { q: order.search }),
    ...(week !== undefined && { week }),
    ...(revision !== undefined && { revision: String(revision) }),
    ...(days !== undefined && days !== '7' && { days }),
    ...((by === 'group' || by === 'operator') && { by: 'group' }),
    ...(sort !== usual && { sort }),
    ...(direction !== naturalDirection(sort) && { order: direction }),
    ...(change.cursor !== null && { cursor: change.cursor }),
  }).toString()
  return query === '' ? path : `${path}?${query}`
}
