import type { Address, Hex } from '@tollbook/chain/hex'
import type { Window } from '@tollbook/verify/build/window'
import { daysOf, toScreened } from '@tollbook/verify/build/window'
import { toListedPrices } from '@tollbook/verify/listings/listed-prices'
import { rollingEdition } from '@tollbook/verify/published/edition-name'
import { toListings, toMaxPrice } from '@tollbook/verify/published/to-listings'
import type { Method } from '../build/visible-payments.ts'
import { parseStoredInputs } from '../editions/stored-inputs.ts'
import { loadReport } from '../editions/stored-reports.ts'
import type { Coverage } from '../ledger/coverage/coverage.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { readAllTransferAttempts, readMerchantFlow } from '../run/prepare-flows.ts'
import { readMethod } from '../run/read-method.ts'
import { toBlockRange } from '../run/window-figures.ts'
import type { State } from '../state/state.ts'

export type PublishedOf = {
  readonly merchant: Address
  readonly window: Pick<Window, 'startBlock' | 'endBlock' | 'start' | 'end'>
  readonly coverage: Coverage
}

/** The rules by which the rolling report of this length of a merchant was computed, with the inputs that it states. */
export async function readPublishedMethod(
  target: { readonly state: State; readonly chain: Hex; readonly ledger: Ledger },
  { merchant, window, coverage }: PublishedOf,
  signal: AbortSignal,
): Promise<Method> {
  const method = await readMethod(target.state)
  const report = await loadReport(target.state, rollingEdition(daysOf(window)), merchant)
  if (!report?.inputs) return method
  const stored = parseStoredInputs(report.inputs)
  const listings = toListings(stored)
  const disclosed = new Set(stored.disclosed_wallets as Address[])
  const wallets = (stored.followed_wallets ?? []) as Address[]
  const followed = { wallets, hubs: (stored.hubs ?? []) as Address[] }
  const attempts = await readAllTransferAttempts(target, toBlockRange(window, coverage))
  const trail = { merchant, disclosed, followed, window: toScreened(window), coverage, method, attempts }
  const prices = toListedPrices(listings, toMaxPrice(stored))
  // As it was published: it depends on the payments, too.
  const floor = stored.floor === undefined ? prices?.floor : BigInt(stored.floor)
  const flows = wallets.length === 0 ? [] : [(await readMerchantFlow(target.ledger, trail, signal)).flow]
  return {
    ...method,
    inputs: {
      disclosedWallets: new Map([[merchant, disclosed]]),
      listedPrices: new Map(prices && floor !== undefined ? [[merchant, { ...prices, floor }]] : []),
      flows: new Map(flows.map((flow) => [merchant, flow])),
    },
  }
}
