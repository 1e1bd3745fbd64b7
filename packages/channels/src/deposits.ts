import type { Address } from '@tollbook/chain/hex'
import { withDeadline } from '@tollbook/flow/deadline'
import { createSemaphore } from '@tollbook/flow/semaphore'
import type { PayerCredit } from '@tollbook/gate/calls/payer-credit'
import type { ChannelEscrow, SendOrder } from '@tollbook/gate/facilitator'
import type { AnyRequirements, PaymentPayload, SettleResponse } from '@tollbook/gate/x402-messages'

/** Longer than a deposit is waited for. */
const MAX_TURN_MS = 45_000

/**
 * Sends deposits at our gas: of one payer one at a time, and none of a payer whose settlement has reverted without
 * being covered. Wallets are emptied in the block of their deposit as in that of any other settlement.
 */
export interface Deposits {
  /** @param payer whose authorization moves the deposit. @throws as the escrow. */
  send(
    payer: Address,
    payload: PaymentPayload,
    requirements: AnyRequirements,
    order?: SendOrder,
  ): Promise<SettleResponse>
}

export function createDeposits(parts: {
  readonly escrow: Pick<ChannelEscrow, 'settle'>
  readonly credit: Pick<PayerCredit, 'noteReverted' | 'readBarredUntil'>
}): Deposits {
  const { escrow, credit } = parts
  const turns = createSemaphore({ max: 1, maxWaiting: Number.POSITIVE_INFINITY })

  return {
    send: async (payer, payload, requirements, order) => {
      const release = await withDeadline(MAX_TURN_MS, (signal) => turns.acquire(signal, payer))
      try {
        if ((await credit.readBarredUntil(payer)) > 0) return barred(requirements)
        const settled = await escrow.settle(payload, requirements, order)
        // Nothing has a hash that was not mined.
        if (!settled.success && settled.transaction !== '') await credit.noteReverted(payer)
        return settled
      } finally {
        release()
      }
    },
  }
}

function barred({ network }: AnyRequirements): SettleResponse {
  return { success: false, errorReason: 'wallet_barred', transaction: '', network }
}
