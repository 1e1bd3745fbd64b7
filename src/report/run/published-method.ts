import type { Address, Hex } from '../../chain/hex.ts'
import type { State } from '../../state/state.ts'
import type { FigureWindow } from '../build/figures.ts'
import type { Method } from '../build/visible-payments.ts'
import { daysOf, toScreened } from '../build/window.ts'
import { rollingEdition } from '../editions/edition-name.ts'
import { parseStoredSide, toListings, toMaxPrice } from '../editions/merchant-inputs.ts'
import { loadReport } from '../editions/stored-reports.ts'
import type { Coverage } from '../ledger/coverage/coverage.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { toListedPrices } from '../listings/listed-prices.ts'
import { readAllTransferAttempts, readMerchantFlow } from './prepare-flows.ts'
import { readMethod } from './prepare-publication.ts'
import { toBlockRange } from './window-figures.ts'

export type PublishedOf = {
  readonly merchant: Address
  readonly window: Pick<FigureWindow, 'startBlock' | 'endBlock' | 'start' | 'end'>
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
  const side = parseStoredSide(report.inputs)
  const listings = toListings(side, { payTo: merchant, lastSeen: new Date(report.changed_at) })
  const disclosed = new Set(side.disclosed_wallets as Address[])
  const wallets = (side.followed_wallets ?? []) as Address[]
  const followed = { wallets, hubs: (side.hubs ?? []) as Address[] }
  const attempts = await readAllTransferAttempts(target, toBlockRange(window, coverage))
  const trail = { merchant, disclosed, followed, window: toScreened(window), coverage, method, attempts }
  const prices = toListedPrices(listings, toMaxPrice(side))
  // As it was published: it depends on the payments, too.
  const floor = side.floor === undefined ? prices?.floor : BigInt(side.floor)
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
