import { toUsdNumber } from '@tollbook/chain/usdc'
import * as z from 'zod'
import type { MerchantFigures } from '../build/figures.ts'
import { UnusableDocument } from '../published/failure.ts'
import type { ReportInputs } from '../published/inputs.ts'
import { type Check, type CheckedValue, checkRule, compare } from './check.ts'

const lineShape = z.looseObject({
  rank: z.number().int().positive().nullable(),
  address: z.string(),
  real_usd: z.number(),
  real_tx: z.number().int(),
})
const pageShape = z.looseObject({
  merchants: z.array(lineShape),
  next_cursor: z.string().max(1000).nullable(),
})

export type RankingLine = z.output<typeof lineShape>
export type RankingPage = z.output<typeof pageShape>

/** @throws UnusableDocument when the document is not a page of a ranking. */
export function parseRankingPage(document: unknown): RankingPage {
  const parsed = pageShape.safeParse(document)
  if (!parsed.success) throw new UnusableDocument('the document is not a ranking')
  return parsed.data
}

export type RankedReport = {
  readonly inputs: ReportInputs
  /** From the report. */
  readonly rank: unknown
  /** Recomputed. */
  readonly figures: MerchantFigures
}

/**
 * Checks that a published ranking is ordered and complete, and that the merchant's rank in it equals that of
 * its report. The figures of the others are not checked here; each can be verified by its own report.
 */
export function checkRanking(
  lines: readonly RankingLine[],
  { inputs, rank, figures }: RankedReport,
): readonly Check[] {
  const own = lines.find(({ address }) => address === figures.address)
  // A frozen report is not in any ranking.
  const isAbsent = !own && rank === null
  // A repeated line must not stand for a merchant that was left out.
  const merchants = new Set(lines.map(({ address }) => address))
  const ranked = lines.filter((line) => line.rank !== null)
  const misplaced = ranked.find((line, at) => line.rank !== at + 1 || isAhead(line, ranked[at - 1]))
  return [
    compare({ field: 'ranking.merchants', published: merchants.size, expected: inputs.rank.merchants }),
    checkRule(!misplaced, {
      field: 'ranking.order',
      published: misplaced
        ? `${misplaced.address} as ${misplaced.rank}`
        : 'by real revenue, then payments, then address',
    }),
    ...(isAbsent ? [] : checkOwn(own, { rank, figures })),
  ]
}

function checkOwn(
  own: RankingLine | undefined,
  { rank, figures }: Omit<RankedReport, 'inputs'>,
): readonly Check[] {
  const realUsd = toUsdNumber(figures.realAmount)
  return [
    // JSON has no other values.
    compare({ field: 'ranking.rank', published: own?.rank, expected: rank as CheckedValue }),
    compare({ field: 'ranking.real_usd', published: own?.real_usd, expected: realUsd }),
    compare({ field: 'ranking.real_tx', published: own?.real_tx, expected: figures.realTx }),
  ]
}

/** Whether a line would have to precede the one above it; equal cents may hide a difference. */
function isAhead(line: RankingLine, above: RankingLine | undefined): boolean {
  return above !== undefined && line.real_usd > above.real_usd
}
