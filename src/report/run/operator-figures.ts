import type { Address } from '../../chain/hex.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import { buildFigures, rankByRevenue } from '../build/build-figures.ts'
import type { FigureWindow, MerchantFigures } from '../build/figures.ts'
import { uniteWallets } from '../build/united-wallets.ts'
import { type Operator, toOperatorKey } from '../claims/operators.ts'
import { type MerchantSide, UNKNOWN_MERCHANT } from '../editions/merchant-inputs.ts'
import type { OperatorRun } from '../editions/store-run.ts'
import { toPricesByPayee } from '../listings/listed-prices.ts'
import { NOT_FOLLOWED } from '../screen/flow/judge-flow.ts'
import { type PrepareOptions, readWindowFigures, type WindowOf } from './window-figures.ts'

export type OperatorsOf = WindowOf & {
  readonly operators: readonly Operator[]
  /** Of their wallets. */
  readonly sides: ReadonlyMap<Address, MerchantSide>
  /** Of every wallet of the window. */
  readonly figures: readonly MerchantFigures[]
}

export type OperatorFigures = OperatorRun & {
  readonly isFinal: boolean
  /** The same for a part of the window. @param figures of every wallet of that part */
  readonly within: (window: FigureWindow, figures: readonly MerchantFigures[]) => Promise<OperatorRun>
}

/** Figures of operators, each as one wallet, with ranks among merchants. @throws as `readWindowFigures`. */
export async function readOperatorFigures(
  preparing: PrepareOptions,
  of: OperatorsOf,
  signal: AbortSignal,
): Promise<OperatorFigures> {
  const { operators, sides, window, coverage, method } = of
  if (operators.length === 0) {
    const none = { reports: [], ranks: new Map(), isComplete: window.isComplete }
    return { ...none, isFinal: true, within: async () => none }
  }
  const unions = new Map(
    operators.map((operator) => [operator.wallets[0], { operator, side: uniteSides(operator, sides) }]),
  )
  const united = uniteWallets(
    preparing.ledger,
    operators.map(({ wallets }) => wallets),
    of,
  )
  const sidesOf = [...unions].map(([first, { side }]) => [first, side] as const)
  const inputs = {
    disclosedWallets: new Map(sidesOf.map(([first, side]) => [first, new Set(side.disclosedWallets)])),
    listedPrices: toPricesByPayee(
      sidesOf.map(([first, { listings }]) => [first, listings] as const),
      new Map(sidesOf.map(([first, { maxPrice }]) => [first, maxPrice])),
    ),
    flows: new Map(),
  }
  const known = await readWindowFigures(
    { ...preparing, ledger: united },
    // Which payments count was decided for each wallet.
    { window, coverage, method: { ...method, inputs, listedPayees: new Set(unions.keys()) } },
    signal,
  )
  const members = new Set(operators.flatMap(({ wallets }) => wallets))
  const toRun = (
    found: readonly MerchantFigures[],
    all: readonly MerchantFigures[],
    isComplete: boolean,
  ): OperatorRun => {
    const alone = all.filter(({ address }) => !members.has(address))
    const ofOperators = found.flatMap((figures) => {
      const union = unions.get(figures.address)
      const key = toOperatorKey(union?.operator.host ?? '')
      return union ? [{ ...union, first: figures.address, figures: { ...figures, address: key } }] : []
    })
    const ranked = rankByRevenue([...alone, ...ofOperators.map(({ figures }) => figures)], { isComplete })
    const ranks = new Map<string, number | null>(ranked.map(({ address, rank }) => [address, rank]))
    const reports = ofOperators.map(({ operator, side, first, figures }) => ({
      figures: { ...figures, rank: ranks.get(figures.address) ?? null },
      side,
      followed: known.followed.get(first) ?? NOT_FOLLOWED,
      operator: {
        ...operator,
        listedWallets: operator.wallets.filter((wallet) => method.listedPayees.has(wallet)),
        rankedMerchants: ranked.length,
      },
    }))
    return { reports, ranks, isComplete }
  }
  const isComplete = window.isComplete && known.window.isComplete
  const selection = { coverage, outflowAttempts: known.outflowAttempts, method: known.method }
  return {
    ...toRun(known.figures, of.figures, isComplete),
    isFinal: known.isFinal,
    within: async (shorter, figures) => {
      const found = await buildFigures(united, { ...selection, window: shorter }, signal)
      return toRun(found, figures, isComplete && shorter.isComplete)
    },
  }
}

/** The operator's side: what any of its wallets disclosed, listed or stated. Claimed if all of them are. */
function uniteSides({ host, wallets }: Operator, sides: ReadonlyMap<Address, MerchantSide>): MerchantSide {
  const all = wallets.map((wallet) => sides.get(wallet) ?? UNKNOWN_MERCHANT)
  return {
    isClaimed: all.every(({ isClaimed }) => isClaimed),
    disclosedWallets: [...new Set([...wallets, ...all.flatMap((side) => side.disclosedWallets)])].sort(),
    operatorWallets: [...new Set(all.flatMap((side) => side.operatorWallets))].sort(),
    maxPrice: all.reduce<AtomicUsdc | null>(
      (highest, { maxPrice }) => (maxPrice !== null && maxPrice > (highest ?? 0n) ? maxPrice : highest),
      null,
    ),
    listings: all.flatMap(({ listings }) => listings),
    vouchedNames: new Set([host]),
  }
}
