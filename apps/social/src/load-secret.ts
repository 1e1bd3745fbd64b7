import { randomBytes } from 'node:crypto'
import type { State } from './state/state.ts'

const KEY_BYTES = 32

/** The random key of that name that all processes on this store share; created on first use. */
export async function loadSecret(state: State, name: string): Promise<Uint8Array> {
  await state.db
    .insertInto('service_secret')
    .values({ name, value: randomBytes(KEY_BYTES).toString('base64') })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const { value } = await state.db
    .selectFrom('service_secret')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return Buffer.from(value, 'base64')
}
