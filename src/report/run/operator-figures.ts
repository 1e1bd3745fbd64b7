import type { Address } from '../../chain/hex.ts'
import { rankByRevenue } from '../build/build-figures.ts'
import type { MerchantFigures } from '../build/figures.ts'
import { uniteWallets } from '../build/united-wallets.ts'
import { type Operator, toOperatorKey } from '../claims/operators.ts'
import { toPricesByPayee } from '../listings/listed-prices.ts'
import type { OperatorRun } from '../publish/editions/store-run.ts'
import { type MerchantSide, UNKNOWN_MERCHANT } from '../publish/merchant/merchant-inputs.ts'
import { NOT_FOLLOWED } from '../screen/flow/judge-flow.ts'
import { type PrepareOptions, readWindowFigures, type WindowOf } from './window-figures.ts'

export type OperatorsOf = WindowOf & {
  readonly operators: readonly Operator[]
  /** Of their wallets. */
  readonly sides: ReadonlyMap<Address, MerchantSide>
  /** Of every wallet of the window. */
  readonly figures: readonly MerchantFigures[]
}

/**
 * Computes the figures of operators like those of wallets, from a ledger in which the wallets of each are one,
 * and ranks them among all merchants.
 * @throws RetryableError when the chain moved meanwhile, or the node could not be reached.
 */
export async function readOperatorFigures(
  preparing: PrepareOptions,
  of: OperatorsOf,
  signal: AbortSignal,
): Promise<OperatorRun & { readonly isFinal: boolean }> {
  const { operators, sides, window, coverage, method } = of
  if (operators.length === 0)
    return { reports: [], ranks: new Map(), isComplete: window.isComplete, isFinal: true }
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
    listedPrices: toPricesByPayee(sidesOf.map(([first, { listings }]) => [first, listings] as const)),
    flows: new Map(),
  }
  const known = await readWindowFigures(
    { ...preparing, ledger: united },
    // Which payments count was decided for each wallet.
    { window, coverage, method: { ...method, inputs, listedPayees: new Set(unions.keys()) } },
    signal,
  )
  const members = new Set(operators.flatMap(({ wallets }) => wallets))
  const ofOperators = known.figures.map((figures) => {
    const operator = unions.get(figures.address)?.operator
    return { ...figures, address: toOperatorKey(operator?.host ?? ''), first: figures.address }
  })
  const alone = of.figures.filter(({ address }) => !members.has(address))
  const isComplete = window.isComplete && known.window.isComplete
  const ranked = rankByRevenue([...alone, ...ofOperators], { isComplete })
  const ranks = new Map(ranked.map(({ address, rank }) => [address as string, rank]))
  return {
    ranks,
    isComplete,
    isFinal: known.isFinal,
    reports: ofOperators.flatMap(({ first, ...figures }) => {
      const union = unions.get(first)
      if (!union) return []
      const { operator, side } = union
      return {
        figures: { ...figures, rank: ranks.get(figures.address) ?? null },
        side,
        followed: known.followed.get(first) ?? NOT_FOLLOWED,
        operator: {
          ...operator,
          listedWallets: operator.wallets.filter((wallet) => method.listedPayees.has(wallet)),
          rankedMerchants: ranked.length,
        },
      }
    }),
  }
}

/** The operator's side: what any of its wallets disclosed or listed. Claimed if all of them are. */
function uniteSides({ host, wallets }: Operator, sides: ReadonlyMap<Address, MerchantSide>): MerchantSide {
  const all = wallets.map((wallet) => sides.get(wallet) ?? UNKNOWN_MERCHANT)
  return {
    isClaimed: all.every(({ isClaimed }) => isClaimed),
    disclosedWallets: [...new Set([...wallets, ...all.flatMap((side) => side.disclosedWallets)])].sort(),
    listings: all.flatMap(({ listings }) => listings),
    vouchedNames: new Set([host]),
  }
}
