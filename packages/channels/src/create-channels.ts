import type { SoldChannels } from '@tollbook/gate/seller/seller-options'
import { openChannels } from './open-channels.ts'

/** What x402's escrow allows. */
const MIN_WITHDRAW_SECONDS = 900
const MAX_WITHDRAW_SECONDS = 2_592_000
/** Chosen: a seller that is away for less than a day still redeems every voucher. */
const WITHDRAW_SECONDS = 86_400

/**
 * Payment channels of a gate: buyers deposit once, and pay each call by a voucher. They need `ownFacilitator`.
 * @param options `withdrawSeconds`: from a payer's withdrawal to its payment, 900 to 2,592,000; default a day
 * @throws RangeError for another time
 * @example createGate({ channels: createChannels(), facilitator: ownFacilitator({ key }), … })
 */
export function createChannels({
  withdrawSeconds = WITHDRAW_SECONDS,
}: {
  readonly withdrawSeconds?: number
} = {}): SoldChannels {
  if (!(withdrawSeconds >= MIN_WITHDRAW_SECONDS && withdrawSeconds <= MAX_WITHDRAW_SECONDS))
    throw new RangeError(
      `withdrawSeconds: from ${MIN_WITHDRAW_SECONDS} to ${MAX_WITHDRAW_SECONDS}, not ${withdrawSeconds}`,
    )
  return { open: openChannels, withdrawDelay: withdrawSeconds }
}
