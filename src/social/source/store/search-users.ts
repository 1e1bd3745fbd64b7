import { sql } from 'kysely'
import type { SocialUser } from '../../model.ts'
import { toPhrase } from '../../text/tokens.ts'
import type { Asking, FoundPage, RequestedPage } from '../provider.ts'
import { findUser } from './find-user.ts'
import { readRows, type SearchPlace } from './search-tweets.ts'

type Row = { readonly rank: number; readonly body: string }

/**
 * Users whose username, name or description contains every word, those with the most followers first; a user
 * whose username equals the query comes before them. The position is the rank of the last one.
 */
export async function searchUsers(
  { state, workers }: SearchPlace,
  query: string,
  { limit, position }: RequestedPage,
  { signal }: Asking,
): Promise<FoundPage<SocialUser>> {
  const phrases = query.split(/\s+/).flatMap((word) => toPhrase(word) ?? [])
  if (phrases.length === 0) return { data: [], includes: {}, next: null }
  const before = position === null ? [] : [sql`social_user.rank < ${Number(position)}`]
  const rows = await select()
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const named = await findUser(state, query.trim().replace(/^@/, ''))
  // The stored body was validated earlier.
  const found = shown.map(({ body }) => JSON.parse(body) as SocialUser).filter(({ id }) => id !== named?.id)
  return {
    data: named && position === null ? [named, ...found] : found,
    includes: {},
    next: rows.length > limit && last ? String(last.rank) : null,
  }

  async function select(): Promise<readonly Row[]> {
    if (state.file === null) {
      const wanted = phrases.map(
        ({ tokens, isOpen }) =>
          `(${tokens.map((token, at) => `'${token}'${isOpen && at === tokens.length - 1 ? ':*' : ''}`).join(' <-> ')})`,
      )
      const conditions = sql.join([sql`words @@ ${wanted.join(' & ')}::tsquery`, ...before], sql` and `)
      const { rows } = await sql<Row>`select rank, body from social_user where ${conditions}
        order by rank desc limit ${limit + 1}`.execute(state.db)
      return rows
    }
    const match = phrases
      .map(({ tokens, isOpen }) => `"${tokens.join(' ')}"${isOpen ? ' *' : ''}`)
      .join(' AND ')
    const bounds = position === null ? sql`1 = 1` : sql`found.rowid < ${Number(position)}`
    const compiled = sql<Row>`select social_user.rank, social_user.body from social_user_words as found
      join social_user on social_user.rank = found.rowid
      where found.social_user_words match ${match} and ${bounds}
      order by found.rowid desc limit ${limit + 1}`.compile(state.db)
    const { sql: text, parameters } = compiled
    const values = await workers.run(readRows, { file: state.file, sql: text, parameters }, signal)
    return values.map(([rank, body]) => ({ rank: Number(rank), body: String(body) }))
  }
}
