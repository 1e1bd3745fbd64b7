import { createHmac, randomBytes } from 'node:crypto'
import type { State } from '../../state/state.ts'

/** Hashes texts with a key that never leaves the state store: nobody outside can guess or compare the results. */
export type KeyedHash = (purpose: string, text: string) => string

const SECRET_NAME = 'keyed-hash'
const SECRET_BYTES = 32

/** Reads the key, or makes it; processes that start together agree on one. */
export async function loadKeyedHash(state: State): Promise<KeyedHash> {
  await state.db
    .insertInto('payment_secret')
    .values({ name: SECRET_NAME, secret: randomBytes(SECRET_BYTES).toString('hex') })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { secret } = await state.db
    .selectFrom('payment_secret')
    .select('secret')
    .where('name', '=', SECRET_NAME)
    .executeTakeFirstOrThrow()
  const key = Buffer.from(secret, 'hex')
  return (purpose, text) => createHmac('sha256', key).update(`${purpose}\n${text}`).digest('base64url')
}
