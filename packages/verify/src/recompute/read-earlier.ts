import { daysOf, toEarlier } from '../build/window.ts'
import type { Payment } from '../chain/payment.ts'
import { type FoundWindow, findWindow } from '../published/find-window.ts'
import { readUnion, type UnionQuery } from './read-union.ts'
import { requireLogs } from './require-logs.ts'

/** The payments of the seven days before a window; undefined on a chain that began later. */
export async function readEarlier(
  query: UnionQuery,
  { window, firstBlock, isEven }: FoundWindow,
  signal: AbortSignal,
): Promise<readonly Payment[] | undefined> {
  const days = daysOf({ ...window, start: toEarlier({ ...window, isEarlierRead: true })?.start ?? 0 })
  const key = { endBlock: window.endBlock, end: window.end, days }
  const longer = await findWindow(query.rpc, key, signal)
  if (!longer.isEven && (isEven || window.isEarlierRead !== true)) return undefined
  await requireLogs(query.rpc, longer, signal)
  const { received } = await readUnion(
    { ...query, firstBlock: longer.firstBlock, endBlock: firstBlock },
    signal,
  )
  return received
}
