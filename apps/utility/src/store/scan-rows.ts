import { setImmediate } from 'node:timers/promises'
import type { State } from '../state/state.ts'
import type { Row } from './row.ts'

type Options = {
  readonly state: State
  /** `collection.id`. */
  readonly collection: string
  readonly order: Order
  /** Only rows created at or after this time, epoch milliseconds. */
  readonly sinceMs: number | null
  /** Only rows after this id in the order. */
  readonly afterId: number | null
  /** Rows to skip at the beginning. */
  readonly offset: number
  readonly signal: AbortSignal
}

export type Order = 'asc' | 'desc'

/** Together these limit what one step reads, so that none blocks the event loop for more than some 10 ms. */
const ROWS_PER_STEP = 500
const BYTES_PER_STEP = 1024 * 1024

/** Reads a collection step by step, so that even a full one does not block other callers. */
export async function* scanRows(options: Options): AsyncGenerator<readonly Row[]> {
  const { state, collection, order, signal } = options
  let { afterId, offset } = options
  for (;;) {
    signal.throwIfAborted()
    const heads = await selectRows({ ...options, afterId })
      .select(['id', 'bytes'])
      .orderBy('id', order)
      .limit(ROWS_PER_STEP)
      .offset(offset)
      .execute()
    const taken = takeBytes(heads)
    const [first, last] = [taken[0], taken.at(-1)]
    if (!first || !last) return
    const ids = [first.id, last.id].sort((a, b) => a - b)
    yield await selectRows({ ...options, afterId: null })
      .select(['id', 'version', 'created_at', 'updated_at', 'body'])
      .where('id', '>=', ids[0] ?? 0)
      .where('id', '<=', ids[1] ?? 0)
      .orderBy('id', order)
      .execute()
    if (taken.length === heads.length && heads.length < ROWS_PER_STEP) return
    afterId = last.id
    offset = 0
    await setImmediate()
  }

  function selectRows({ sinceMs, afterId }: Pick<Options, 'sinceMs' | 'afterId'>) {
    let query = state.db.selectFrom('collection_row').where('collection', '=', collection)
    if (sinceMs !== null) query = query.where('created_at', '>=', sinceMs)
    if (afterId !== null) query = query.where('id', order === 'asc' ? '>' : '<', afterId)
    return query
  }
}

function takeBytes<Head extends { readonly bytes: number }>(heads: readonly Head[]): readonly Head[] {
  let sum = 0
  const over = heads.findIndex((head, at) => {
    sum += head.bytes
    return at > 0 && sum > BYTES_PER_STEP
  })
  return over < 0 ? heads : heads.slice(0, over)
}

/** A position in a collection, opaque to the caller: the order and the id of the last returned row. */
export function toCursor(order: Order, id: number): string {
  return Buffer.from(`${order} ${id}`).toString('base64url')
}

/** Decodes a cursor; null if it is invalid, or has the other order. */
export function parseCursor(text: string, order: Order): number | null {
  const match = /^(asc|desc) (\d{1,16})$/.exec(Buffer.from(text, 'base64url').toString())
  return match?.[1] === order ? Number(match[2]) : null
}
