import { createHash } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { SocialUser } from '../../model.ts'
import type { State } from '../../state/state.ts'
import type { Tables } from '../../state/tables.ts'
import { tokensOf } from '../../text/tokens.ts'

/** Ranks of users with the same number of followers; the product stays below 2^53 up to 8 billion followers. */
const PER_FOLLOWER = 2 ** 20

/**
 * Inserts or replaces users with their indexed words. A name belongs to the user stored last, so an earlier
 * user with the same name is deleted.
 */
export async function saveUsers(
  transaction: Transaction<Tables>,
  kind: State['kind'],
  users: readonly SocialUser[],
  fetched_at: number,
): Promise<void> {
  if (kind === 'postgres') await lockNames(transaction, users)
  for (const user of users) {
    const username_key = user.username.toLowerCase()
    const stored = await transaction
      .selectFrom('social_user')
      .select(['id', 'rank', 'body'])
      .where((eb) => eb.or([eb('id', '=', user.id), eb('username_key', '=', username_key)]))
      .execute()
    const before = stored.find(({ id }) => id === user.id)
    const namesakes = stored.filter(({ id }) => id !== user.id)
    if (namesakes.length > 0)
      await transaction
        .deleteFrom('social_user')
        .where(
          'id',
          'in',
          namesakes.map(({ id }) => id),
        )
        .execute()
    const rank = await findRank(transaction, user, before?.rank ?? null)
    const row = { id: user.id, username_key, body: JSON.stringify(user), fetched_at, rank }
    await transaction
      .insertInto('social_user')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...row }))
      .execute()
    const gone = [...namesakes, ...(before ? [before] : [])].flatMap((one) => one.rank ?? [])
    await saveUserWords(transaction, kind, { user, rank, gone })
  }
}

/** Makes the keys of these locks differ from those of others in the same database: 'user' in ASCII. */
const LOCK_SPACE = 0x75736572
/** Locks per transaction at most; the server's table of locks has room for 64 per connection. */
const LOCKS = 32

/**
 * Transactions that store the same id or name follow each other. Without that, one waits at the unique index of names
 * for an insertion that the other has only attempted, while the other waits at the index of ids: a deadlock.
 */
async function lockNames(transaction: Transaction<Tables>, users: readonly SocialUser[]): Promise<void> {
  const names = users.flatMap(({ id, username }) => [`id ${id}`, `name ${username.toLowerCase()}`])
  const keys = new Set(
    names.map((name) => createHash('sha256').update(name).digest().readUInt32BE(0) % LOCKS),
  )
  // A fixed order, or the locks would be a deadlock themselves.
  const ordered = [...keys].toSorted((one, other) => one - other)
  await sql`select pg_advisory_xact_lock(${LOCK_SPACE}, key) from unnest(${ordered}::int[]) as key`.execute(
    transaction,
  )
}

type Ranked = { readonly user: SocialUser; readonly rank: number; readonly gone: readonly number[] }

async function saveUserWords(
  transaction: Transaction<Tables>,
  kind: State['kind'],
  { user, rank, gone }: Ranked,
): Promise<void> {
  const tokens = [user.username, user.name, user.description ?? ''].flatMap(tokensOf)
  if (kind === 'sqlite') {
    if (gone.length > 0)
      await sql`delete from social_user_words where rowid in (${sql.join(gone)})`.execute(transaction)
    await sql`insert into social_user_words (rowid, body) values (${rank}, ${tokens.join(' ')})`.execute(
      transaction,
    )
  } else {
    const vector = tokens.map((token, at) => `'${token}':${at + 1}`).join(' ')
    await sql`update social_user set words = ${vector}::tsvector where id = ${user.id}`.execute(transaction)
  }
}

/** More followers have higher ranks; a user keeps its rank until its number of followers changes. */
async function findRank(
  transaction: Transaction<Tables>,
  { id, public_metrics }: SocialUser,
  before: number | null,
): Promise<number> {
  const followers = public_metrics?.followers_count ?? 0
  if (before !== null && Math.floor(before / PER_FOLLOWER) === followers) return before
  const own = createHash('sha256').update(id).digest().readUInt32BE(0) % PER_FOLLOWER
  for (let place = own; ; place = (place + 1) % PER_FOLLOWER) {
    const rank = followers * PER_FOLLOWER + place
    const taken = await transaction
      .selectFrom('social_user')
      .select('id')
      .where('rank', '=', rank)
      .executeTakeFirst()
    if (!taken) return rank
  }
}
