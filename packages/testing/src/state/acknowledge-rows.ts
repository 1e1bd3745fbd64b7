import { openStateAt } from './open-state-at.ts'

// Writes rows from several callers at once and prints the id of each when the state has acknowledged it.
const [url = '', prefix = ''] = process.argv.slice(2)
const state = await openStateAt(url)
const PLACES = state.kind === 'postgres' ? '$1, $2, $3, $4' : '?, ?, ?, ?'
let next = 0
async function write(): Promise<never> {
  for (;;) {
    const id = `${prefix}${next++}`
    const row = { id, username_key: id, body: '{}', fetched_at: next }
    // Every third row goes through a transaction of its own, every third is lazy.
    if (next % 3 === 1)
      await state.change(
        `insert into social_user (id, username_key, body, fetched_at) values (${PLACES})`,
        Object.values(row),
        true,
      )
    else if (next % 3 === 2) await state.db.insertInto('social_user').values(row).execute()
    else
      await state.db.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('social_user')
          .values({ ...row, body: '' })
          .execute()
        await transaction.updateTable('social_user').set({ body: '{}' }).where('id', '=', id).execute()
      })
    process.stdout.write(`${id}\n`)
  }
}
await Promise.all(Array.from({ length: 8 }, write))
