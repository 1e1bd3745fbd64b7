import type { Address } from '@tollbook/chain/hex'
import type { OfferedPayment } from '@tollbook/gate/payment'
import type { Problem } from '@tollbook/http/problem'

/** For whom the operator settles. Addresses are in lower case. */
export type Policy = {
  /** Why the operator does not settle the payment, or null. */
  findProblem(payment: Pick<OfferedPayment, 'payer' | 'payTo'>): Problem | null
}

/** @param payees the only payees; empty: any. @param refused payers and payees that are never served. */
export function createPolicy({
  payees,
  refused,
}: {
  readonly payees: readonly Address[]
  readonly refused: readonly Address[]
}): Policy {
  const [allowed, barred] = [new Set(payees), new Set(refused)]
  return {
    findProblem: ({ payer, payTo }) => {
      if (allowed.size > 0 && !allowed.has(payTo)) return OTHER_PAYEE
      return barred.has(payer) || barred.has(payTo) ? REFUSED : null
    },
  }
}

const OTHER_PAYEE: Problem = {
  code: 'payment_invalid',
  detail: 'This facilitator does not settle for this payee.',
  members: { reason: 'payee_not_allowed' },
}

const REFUSED: Problem = {
  code: 'payment_invalid',
  detail: 'This facilitator does not settle payments of this wallet.',
  members: { reason: 'address_refused' },
}

/** Whether a payment would only move the operator's gas. */
export function isSelfPaid({ payer, payTo }: Pick<OfferedPayment, 'payer' | 'payTo'>): boolean {
  return payer === payTo
}

export const SELF_PAID: Problem = {
  code: 'payment_invalid',
  detail: 'The payer is the payee.',
  members: { reason: 'payer_is_payee' },
}
