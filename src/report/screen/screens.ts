import { aboveListing } from './above-listing.ts'
import { circular } from './circular.ts'
import { fundedByMerchant } from './funded-by-merchant.ts'
import { METHOD_CHANGES } from './method-changes.ts'
import { roundTrip } from './round-trip.ts'
import type { Screen } from './screen.ts'
import { selfPay } from './self-pay.ts'
import { tinyRepeat } from './tiny-repeat.ts'

/** Every screen by priority: a payment counts under the first kind that flags it. */
export const SCREENS: readonly Screen[] = Object.freeze([
  selfPay,
  roundTrip,
  fundedByMerchant,
  circular,
  aboveListing,
  tinyRepeat,
])

/** Version of the whole method: the payment rule, the list of facilitators and the screens. See docs/screens.md. */
export const METHOD_VERSION = METHOD_CHANGES[0].version
