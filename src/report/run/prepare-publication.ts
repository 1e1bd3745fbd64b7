import type { HeadTag } from '../../chain/blocks.ts'
import type { Address, Hex } from '../../chain/hex.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { inStep } from '../../flow/trace.ts'
import type { State } from '../../state/state.ts'
import type { buildFigures } from '../build/build-figures.ts'
import { readFieldFigures } from '../build/field-figures.ts'
import type { FigureWindow } from '../build/figures.ts'
import type { LabelList } from '../build/label-list.ts'
import { readRunEvidence } from '../build/read-run-evidence.ts'
import type { Method } from '../build/visible-payments.ts'
import { BASE_CONTRACTS } from '../chain/contracts.ts'
import type { Facilitators } from '../chain/facilitators.ts'
import type { Nodes } from '../chain/nodes.ts'
import type { RangeSize } from '../chain/range-size.ts'
import { findOperators, type Operator, type WalletProofs } from '../claims/operators.ts'
import { readClaimedWallets, readDisclosedWallets, readStatedPrices } from '../claims/stored-claims.ts'
import { describeBasis } from '../editions/basis.ts'
import type { MerchantSide } from '../editions/merchant-inputs.ts'
import type { WeekPublication } from '../editions/publish-week.ts'
import type { OperatorRun } from '../editions/store-run.ts'
import type { EvidenceArchive } from '../evidence/evidence-archive.ts'
import { packEvidence } from '../evidence/pack-evidence.ts'
import type * as coverage from '../ledger/coverage/coverage.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { toPricesByPayee } from '../listings/listed-prices.ts'
import { listedPayees, listingsByPayTo } from '../listings/stored-listings.ts'
import { readVouchedNames } from '../listings/vouched-names.ts'
import { METHOD_VERSION, SCREENS } from '../screen/screens.ts'
import { type OperatorFigures, readOperatorFigures } from './operator-figures.ts'
import type { ListingReading } from './read-listings.ts'
import { type PrepareOptions, readWindowFigures } from './window-figures.ts'

export type PublishOptions = ListingReading & {
  readonly ledger: Ledger
  /** Hash of the chain's genesis block. */
  readonly chain: Hex
  readonly rpc: Rpc
  readonly nodes: Pick<Nodes, 'use'>
  readonly range: RangeSize
  /** Absent when none is configured. */
  readonly labels: LabelList | undefined
  /** The block up to which windows count as complete. */
  readonly finalHead: HeadTag
  readonly facilitators: Facilitators
  readonly archive: EvidenceArchive
  /** Public address of the report service, without a trailing slash. */
  readonly baseUrl: string
  /** Wallets with which the operator pays its own services, by payee; what they pay is `self_pay`. */
  readonly operatorWallets: OperatorWallets
}

export type OperatorWallets = ReadonlyMap<Address, readonly Address[]>

export type Run = {
  readonly edition: string
  readonly window: FigureWindow
  readonly covered: coverage.Coverage
  /** What merchants had decided when the week was published first. */
  readonly sides?: ReadonlyMap<Address, MerchantSide>
  /** The operators of the week when it was published first. */
  readonly operators?: readonly Operator[]
  /** The payees of listings when the week was published: what they made count stays counted. */
  readonly payees?: readonly Address[]
}

export type Prepared = WeekPublication & {
  readonly isFinal: boolean
  readonly selection: Parameters<typeof buildFigures>[1]
  readonly operators: Pick<OperatorFigures, keyof OperatorRun | 'within'>
}

export async function readMethod(
  state: State,
  operatorWallets: OperatorWallets = new Map(),
): Promise<Method> {
  const disclosedWallets = new Map(await readDisclosedWallets(state))
  for (const [payee, wallets] of operatorWallets)
    disclosedWallets.set(payee, new Set([...(disclosedWallets.get(payee) ?? []), ...wallets]))
  const inputs = {
    disclosedWallets,
    listedPrices: toPricesByPayee(await listingsByPayTo(state), await readStatedPrices(state)),
    // Found in each window.
    flows: new Map(),
  }
  return { screens: SCREENS, inputs, listedPayees: await listedPayees(state) }
}

/** Ledger to figures, with everything else that a publication needs, and whether the result is final. */
export async function preparePublication(
  publishing: PublishOptions & Pick<PrepareOptions, 'outflowBudgetMs' | 'flowBudgetMs'>,
  { edition, window: planned, covered, sides: published, operators: then, payees = [] }: Run,
  signal: AbortSignal,
): Promise<Prepared> {
  const { ledger, state, baseUrl, now, archive, chain, labels } = publishing
  const { operatorWallets } = publishing
  const newest = await readMethod(state, operatorWallets)
  const current = { ...newest, listedPayees: new Set([...newest.listedPayees, ...payees]) }
  // The listings and claims of a published week stay as they were, and so do the figures that depend on them.
  const stored = toPricesByPayee(
    [...(published ?? [])].map(([merchant, side]) => [merchant, side.listings] as const),
    new Map([...(published ?? [])].map(([merchant, { maxPrice }]) => [merchant, maxPrice])),
  )
  const prices = new Map([...current.inputs.listedPrices, ...stored])
  for (const merchant of published?.keys() ?? []) if (!stored.has(merchant)) prices.delete(merchant)
  const disclosedWallets = new Map(current.inputs.disclosedWallets)
  for (const [merchant, side] of published ?? [])
    disclosedWallets.set(merchant, new Set(side.disclosedWallets))
  const planning = { ...current, inputs: { ...current.inputs, disclosedWallets, listedPrices: prices } }
  const preparing = { ...publishing, usdc: BASE_CONTRACTS.usdc }
  const wanted = { coverage: covered, window: planned, method: planning }
  const known = await inStep('read and screen payments', () => readWindowFigures(preparing, wanted, signal))
  const { window, figures, method, followed, outflowAttempts } = known
  const sides = await inStep('read listings and claims', () =>
    readMerchantSides(state, {
      disclosedWallets: method.inputs.disclosedWallets,
      operatorWallets,
      ownSources: publishing.listingSources,
    }),
  )
  const ofOperators = {
    operators: then ?? findOperators(sides, method.inputs.disclosedWallets),
    sides: new Map([...sides, ...(published ?? [])]),
    figures,
    window,
    coverage: covered,
    method: planning,
  }
  const { isFinal, ...operators } = await inStep('add up operators', () =>
    readOperatorFigures(preparing, ofOperators, signal),
  )
  const selection = { coverage: covered, outflowAttempts, window, method }
  const { version: list, addresses } = publishing.facilitators
  const labelList = labels ? { version: labels.version, sha256: labels.sha256 } : null
  return {
    state,
    isFinal: known.isFinal && isFinal,
    selection,
    run: {
      edition,
      window,
      methodVersion: METHOD_VERSION,
      figures,
      field: await readFieldFigures(ledger, selection, signal),
    },
    basis: describeBasis({
      genesis: chain,
      method: current,
      facilitators: { list, addresses },
      labels: labelList,
    }),
    sides,
    followed,
    operators,
    baseUrl,
    now: now(),
    packEvidence: () =>
      packEvidence({
        archive,
        label: edition,
        payments: readRunEvidence(ledger, selection, signal),
        figures,
      }),
  }
}

type SideParts = Pick<PublishOptions, 'operatorWallets'> & {
  readonly disclosedWallets: ReadonlyMap<Address, ReadonlySet<Address>>
  /** Base URLs of the operator's own services. */
  readonly ownSources: readonly string[]
}

/** What is known of merchants besides the chain: claims, disclosed wallets, listings. */
export async function readMerchantSides(
  state: State,
  { disclosedWallets, operatorWallets, ownSources }: SideParts,
): Promise<ReadonlyMap<Address, MerchantSide & WalletProofs>> {
  const listings = await listingsByPayTo(state)
  const vouched = await readVouchedNames(state, ownSources)
  const claimed = await readClaimedWallets(state)
  const stated = await readStatedPrices(state)
  const merchants = new Set([...listings.keys(), ...claimed, ...operatorWallets.keys()])
  return new Map(
    [...merchants].map((merchant) => [
      merchant,
      {
        isClaimed: claimed.has(merchant),
        maxPrice: stated.get(merchant) ?? null,
        listings: listings.get(merchant) ?? [],
        vouchedNames: vouched.get(merchant) ?? new Set(),
        disclosedWallets: [...(disclosedWallets.get(merchant) ?? [])].sort(),
        operatorWallets: [...(operatorWallets.get(merchant) ?? [])].sort(),
      },
    ]),
  )
}
