import type { Settlement, SettleOrder } from '@tollbook/gate/facilitator'
import { isByPermit2 } from '@tollbook/gate/payment'
import type { CodeCache } from '@tollbook/gate/reading/code-cache'
import { createOrderQueue } from './order-queue.ts'
import { isBatchable } from './plan-settlement.ts'
import { type SettleContext, settleBatch, settleSingle } from './settle-orders.ts'

/** Transactions of one wallet that may be in a mempool at a time; nodes hold 16 to 64. */
const MAX_IN_FLIGHT = 8
/**
 * The same for payers that have not paid for a revert. On the code of USDC, a payment that fails uses 77,000 gas
 * alone and 62,000 in a batch; emptying several wallets in one transaction costs 64,000 for each. So theirs must
 * not be in several transactions of one block.
 */
const MAX_UNCOVERED_IN_FLIGHT = 1

/** Accepts orders, settles them together if possible, and answers each. */
export type SettlementDesk = {
  settle(order: SettleOrder, signal: AbortSignal): Promise<Settlement>
  /** Orders that wait for a transaction that they can share. */
  waiting(): number
  /** Waits until every order is answered. */
  drain(): Promise<void>
}

/**
 * Creates a desk that settles at most `batchSize` orders in one transaction, with as many wallets as it has
 * lanes. `open` connects to the chain, and selects the wallet for a transaction of several orders, or of one
 * that names its wallet; it may throw.
 */
export function createSettlementDesk(
  {
    batchSize,
    lanes,
    codes,
  }: { readonly batchSize: number; readonly lanes: number; readonly codes: CodeCache },
  open: (order?: SettleOrder) => Promise<SettleContext>,
): SettlementDesk {
  const answers = new Map<SettleOrder, (settlement: Settlement) => void>()
  const underWay = new Set<Promise<Settlement>>()
  const report = (order: SettleOrder, settlement: Settlement) => {
    answers.get(order)?.(settlement)
    answers.delete(order)
  }
  const openQueue = (maxInFlight: number) =>
    createOrderQueue<SettleOrder>({ groupSize: batchSize, maxInFlight }, async (orders) => {
      try {
        await settleBatch(orders, await open(), report)
      } catch {
        for (const order of orders) report(order, UNREACHABLE)
      }
    })
  const queues = { covered: openQueue(MAX_IN_FLIGHT * lanes), uncovered: openQueue(MAX_UNCOVERED_IN_FLIGHT) }
  const queueOf = ({ isCovered }: SettleOrder) => (isCovered ? queues.covered : queues.uncovered)
  const begin = async (order: SettleOrder): Promise<void> => {
    const payerHasCode = (await codes.payerCode(order.payment)) !== null
    if (isBatchable(order.payment, payerHasCode)) queueOf(order).add(order)
    else report(order, await settleSingle(order, await open(order)))
  }
  const settle = (order: SettleOrder, signal: AbortSignal): Promise<Settlement> => {
    const refusal = findRefusal(order)
    if (refusal || signal.aborted) return Promise.resolve(failedByUs(refusal ?? 'aborted'))
    return new Promise((resolve) => {
      const abort = () => {
        const reason = 'aborted'
        report(
          order,
          queueOf(order).remove(order)
            ? failedByUs(reason)
            : { outcome: 'unknown', transaction: null, reason },
        )
      }
      signal.addEventListener('abort', abort, { once: true })
      answers.set(order, (settlement) => {
        signal.removeEventListener('abort', abort)
        resolve(settlement)
      })
      begin(order).catch(() => report(order, UNREACHABLE))
    })
  }
  return {
    settle(order, signal) {
      const settling = settle(order, signal)
      underWay.add(settling)
      void settling.finally(() => underWay.delete(settling))
      return settling
    },
    waiting: () => queues.covered.size() + queues.uncovered.size(),
    async drain() {
      await Promise.allSettled(underWay)
    },
  }
}

const UNREACHABLE: Settlement = { outcome: 'unknown', transaction: null, reason: 'chain_unreachable' }

function failedByUs(reason: string): Settlement {
  return { outcome: 'failed', reason, cause: 'operator' }
}

/** Why an amount cannot be settled under what was signed; without reading the chain. */
function findRefusal({ payment, amount }: SettleOrder): string | null {
  if (amount <= 0n) return 'invalid_amount'
  if (payment.scheme === 'exact' && amount !== payment.signedAmount)
    return isByPermit2(payment)
      ? 'permit2_amount_mismatch'
      : 'invalid_exact_evm_payload_authorization_value_mismatch'
  return amount <= payment.signedAmount ? null : 'invalid_upto_evm_payload_settlement_exceeds_amount'
}
