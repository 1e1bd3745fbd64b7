import type { Address } from '@tollbook/chain/hex'
import type { MerchantFigures } from '@tollbook/verify/build/figures'
import type { Window } from '@tollbook/verify/build/window'
import { toPricesByPayee } from '@tollbook/verify/listings/listed-prices'
import { toGroupKey } from '@tollbook/verify/published/group-key'
import { NOT_FOLLOWED } from '@tollbook/verify/screen/flow/judge-flow'
import { buildFigures, rankByRevenue } from '../build/build-figures.ts'
import { uniteWallets } from '../build/united-wallets.ts'
import { type ClaimsAndListings, uniteClaimsAndListings } from '../claims/claims-and-listings.ts'
import type { MerchantGroup } from '../claims/merchant-groups.ts'
import type { GroupFigures } from './figures.ts'
import { type ReadingOptions, readWindowFigures, type WindowGoal } from './window-figures.ts'

type GroupGoal = WindowGoal & {
  readonly groups: readonly MerchantGroup[]
  /** Of their wallets. */
  readonly claimsAndListings: ReadonlyMap<Address, ClaimsAndListings>
  /** Every wallet of the window. */
  readonly merchants: readonly MerchantFigures[]
}

type ComputedGroups = GroupFigures & {
  readonly isFinal: boolean
  /** The same for a part of the window. @param merchants every wallet of that part */
  readonly within: (window: Window, merchants: readonly MerchantFigures[]) => Promise<GroupFigures>
}

/** Figures of groups, each as one wallet, with ranks among merchants. @throws as `readWindowFigures`. */
export async function readGroupFigures(
  reading: ReadingOptions,
  goal: GroupGoal,
  signal: AbortSignal,
): Promise<ComputedGroups> {
  const { groups, window, coverage, method } = goal
  if (groups.length === 0) {
    const none = { reports: [], ranks: new Map(), isComplete: window.isComplete }
    return { ...none, isFinal: true, within: async () => none }
  }
  const unions = new Map(
    groups.map((group) => [
      group.wallets[0],
      { group, claimsAndListings: uniteClaimsAndListings(group, goal.claimsAndListings) },
    ]),
  )
  const united = uniteWallets(
    reading.ledger,
    groups.map(({ wallets }) => wallets),
    goal,
  )
  const ofFirst = [...unions].map(([first, union]) => [first, union.claimsAndListings] as const)
  const inputs = {
    disclosedWallets: new Map(
      ofFirst.map(([first, { disclosedWallets }]) => [first, new Set(disclosedWallets)]),
    ),
    listedPrices: toPricesByPayee(
      ofFirst.map(([first, { listings }]) => [first, listings] as const),
      new Map(ofFirst.map(([first, { maxPrice }]) => [first, maxPrice])),
    ),
    flows: new Map(),
  }
  const known = await readWindowFigures(
    { ...reading, ledger: united },
    // Which payments count was decided for each wallet.
    { window, coverage, method: { ...method, inputs, listedPayees: new Set(unions.keys()) } },
    signal,
  )
  const members = new Set(groups.flatMap(({ wallets }) => wallets))
  const toGroupFigures = (
    found: readonly MerchantFigures[],
    all: readonly MerchantFigures[],
    isComplete: boolean,
  ): GroupFigures => {
    const alone = all.filter(({ address }) => !members.has(address))
    const ofGroups = found.flatMap((figures) => {
      const union = unions.get(figures.address)
      const key = toGroupKey(union?.group.host ?? '')
      return union ? [{ ...union, first: figures.address, figures: { ...figures, address: key } }] : []
    })
    const ranked = rankByRevenue([...alone, ...ofGroups.map(({ figures }) => figures)], { isComplete })
    const ranks = new Map<string, number | null>(ranked.map(({ address, rank }) => [address, rank]))
    const reports = ofGroups.map(({ group, claimsAndListings, first, figures }) => ({
      figures: { ...figures, rank: ranks.get(figures.address) ?? null },
      claimsAndListings,
      followed: known.followed.get(first) ?? NOT_FOLLOWED,
      group: {
        ...group,
        listedWallets: group.wallets.filter((wallet) => method.listedPayees.has(wallet)),
        rankedMerchants: ranked.length,
      },
    }))
    return { reports, ranks, isComplete }
  }
  const isComplete = window.isComplete && known.window.isComplete
  const selection = { coverage, outflowAttempts: known.outflowAttempts, method: known.method }
  return {
    ...toGroupFigures(known.merchants, goal.merchants, isComplete),
    isFinal: known.isFinal,
    within: async (shorter, merchants) => {
      const found = await buildFigures(united, { ...selection, window: shorter }, signal)
      return toGroupFigures(found, merchants, isComplete && shorter.isComplete)
    },
  }
}
