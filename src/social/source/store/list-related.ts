import type { State } from '../../../state/state.ts'
import type { SocialUser } from '../../model/user.ts'
import type { FoundPage, RequestedPage } from '../provider.ts'
import type { RelationKind } from '../social-bundle.ts'
import { readBodies } from './read-bodies.ts'

type Asked = {
  readonly kind: RelationKind
  /**
   * The end of the relation that the id is at: relations that lead to it, or relations that start from it.
   */
  readonly end: 'to' | 'from'
  readonly id: string
}

/**
 * Related users, newest first. Users that are not stored are omitted, so a page may be short; the position is
 * that of the last relation read.
 */
export async function listRelatedUsers(
  state: State,
  { kind, end, id }: Asked,
  { limit, position }: RequestedPage,
): Promise<FoundPage<SocialUser>> {
  const [own, other] = end === 'to' ? (['to_id', 'from_id'] as const) : (['from_id', 'to_id'] as const)
  let query = state.db
    .selectFrom('social_relation')
    .select([other, 'pos'])
    .where('kind', '=', kind)
    .where(own, '=', id)
    .orderBy('pos', 'desc')
    .limit(limit + 1)
  if (position !== null) query = query.where('pos', '<', Number(position))
  const rows = await query.execute()
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const ids = shown.map((row) => row[other] ?? '')
  return {
    data: await readBodies<SocialUser>(state, 'social_user', ids),
    includes: {},
    next: rows.length > limit && last ? String(last.pos) : null,
  }
}
