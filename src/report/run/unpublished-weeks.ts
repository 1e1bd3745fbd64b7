import { type Block, findFirstBlockSince, readBlock } from '../../chain/blocks.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { State } from '../../state/state.ts'
import { toUtcDate } from '../build/compose-report.ts'
import type { FigureWindow } from '../build/figures.ts'
import { listWeekEnds, toWindow } from '../build/window.ts'
import type { Coverage } from '../ledger/coverage.ts'

export type WeekSearch = {
  readonly state: State
  readonly rpc: Rpc
  readonly coverage: Coverage
  /** The newest final block. */
  readonly finalHead: Block
}

export type UnpublishedWeek = { readonly edition: string; readonly window: FigureWindow }

/** Completed weeks, read entirely and not published, oldest first; later calls return the rest. */
export async function* findUnpublishedWeeks(
  { state, rpc, coverage, finalHead }: WeekSearch,
  signal: AbortSignal,
): AsyncGenerator<UnpublishedWeek> {
  const first = await readBlock(rpc, coverage.firstBlock, signal)
  if (!first) return
  const indexedSince = first.timestamp
  const ends = listWeekEnds({ indexedSince, until: finalHead.timestamp })
  const rows = await state.db
    .selectFrom('report_editions')
    .select('edition')
    .where('revision', '=', 1)
    .execute()
  const published = new Set(rows.map(({ edition }) => edition))
  for (const end of ends) {
    const edition = toUtcDate(end)
    if (published.has(edition)) continue
    const block = await findFirstBlockSince(rpc, { time: end, head: finalHead }, signal)
    if (!block || block.number > coverage.endBlock) return
    const window = toWindow({
      endBlock: block.number,
      end,
      finalHead: finalHead.number,
      coverage,
      indexedSince,
    })
    if (window.isComplete) yield { edition, window }
  }
}
