import { inStep } from '@tollbook/flow/trace'
import type { Window } from '@tollbook/verify/build/window'
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import { METHOD_VERSION } from '@tollbook/verify/screen/screens'
import { buildFigures } from '../build/build-figures.ts'
import { readFieldFigures } from '../build/field-figures.ts'
import type { Criteria, Method } from '../build/visible-payments.ts'
import { type OperatorWallets, readClaimsAndListings } from '../claims/claims-and-listings.ts'
import { findMerchantGroups } from '../claims/merchant-groups.ts'
import type { Coverage } from '../ledger/coverage/coverage.ts'
import type { Figures } from './figures.ts'
import { readGroupFigures } from './group-figures.ts'
import { type PublishedInputs, readMethod, withPublished } from './read-method.ts'
import { type ReadingOptions, readWindowFigures } from './window-figures.ts'

export type ComputeOptions = Omit<ReadingOptions, 'usdc'> & {
  /** Base URLs of the operator's own services, whose listings are read. */
  readonly listingSources: readonly string[]
  readonly operatorWallets: OperatorWallets
}

/** Which figures to compute. */
export type Goal = Pick<Figures, 'edition' | 'window'> & {
  readonly coverage: Coverage
  /** Of a week that is corrected; absent for a first publication. */
  readonly published?: PublishedInputs
}

export type ComputedFigures = Figures & {
  /** Whether the result can no longer change. */
  readonly isFinal: boolean
  /** The rules, with their inputs as far as they are not found in the window. */
  readonly method: Method
  /** The payments behind the figures. */
  readonly payments: Criteria & { readonly window: Window }
  /** The figures of a shorter window with the same end, screened as part of this one. */
  readonly part: (of: Pick<Figures, 'edition' | 'window'>) => Promise<Figures>
}

/**
 * From the ledger, claims and listings to the figures of a window, after reading transfers within the time budget.
 * @throws RetryableError when the chain moved meanwhile, or the node could not be reached.
 */
export async function computeFigures(
  options: ComputeOptions,
  { edition, window: planned, coverage, published }: Goal,
  signal: AbortSignal,
): Promise<ComputedFigures> {
  const { state, ledger, operatorWallets } = options
  const newest = await readMethod(state, operatorWallets)
  const method = published ? withPublished(newest, published) : newest
  const reading = { ...options, usdc: BASE_CONTRACTS.usdc }
  const ofWallets = await inStep('read and screen payments', () =>
    readWindowFigures(reading, { window: planned, coverage, method }, signal),
  )
  const { window, merchants, followed, outflowAttempts } = ofWallets
  const { disclosedWallets } = ofWallets.method.inputs
  const current = await inStep('read listings and claims', () =>
    readClaimsAndListings(state, { disclosedWallets, operatorWallets, ownSources: options.listingSources }),
  )
  const claimsAndListings = new Map([...current, ...(published?.claimsAndListings ?? [])])
  const groupGoal = {
    groups: published?.groups ?? findMerchantGroups(current, disclosedWallets),
    claimsAndListings,
    merchants,
    window,
    coverage,
    method,
  }
  const { isFinal, within, ...groups } = await inStep('add up merchant groups', () =>
    readGroupFigures(reading, groupGoal, signal),
  )
  const payments = { coverage, outflowAttempts, window, method: ofWallets.method }
  const common = { methodVersion: METHOD_VERSION, claimsAndListings, followed }
  return {
    ...common,
    edition,
    window,
    merchants,
    groups,
    field: await readFieldFigures(ledger, payments, signal),
    isFinal: ofWallets.isFinal && isFinal,
    method,
    payments,
    async part(of) {
      const shorter = { ...payments, window: of.window }
      const own = await buildFigures(ledger, shorter, signal)
      const field = await readFieldFigures(ledger, shorter, signal)
      return { ...common, ...of, merchants: own, field, groups: await within(of.window, own) }
    },
  }
}
