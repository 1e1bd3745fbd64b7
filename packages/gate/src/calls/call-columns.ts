import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { isByPermit2 } from '../payment.ts'
import type { AnswerRow, Reservation } from './reservation.ts'
import { toStoredOffer } from './stored-offer.ts'

/** Columns of a row whose call has ended. */
export const CLOSED = { is_open: 0, offer: null, owner: null, reason: null }
/** Columns of a row without an answer. */
export const NO_ANSWER = { answer_status: null, answer_headers: null, answer_file: null, answer_body: null }

/**
 * The columns of a call that begins, or begins again.
 * @param reservedAt microseconds. @param nowMs epoch milliseconds.
 */
export function toCallColumns(reservation: Reservation, reservedAt: number, nowMs: number) {
  const { payment, service, endpoint, scope, fingerprint, identifier, charge } = reservation
  return {
    scheme: payment.scheme,
    by_permit2: Number(isByPermit2(payment)),
    pay_to: payment.payTo,
    service,
    endpoint,
    resource_url: reservation.resourceUrl ?? null,
    repeat_ms: reservation.repeatMs ?? null,
    scope,
    fingerprint,
    identifier,
    state: charge === undefined ? 'reserved' : 'delivered',
    is_open: 1,
    signed_amount: toColumn(payment.signedAmount),
    charge: charge === undefined ? null : toColumn(charge),
    valid_before: payment.validBefore,
    offer: toStoredOffer(payment),
    reason: null,
    reserved_at: reservedAt,
    updated_at: nowMs,
    check_at: 0,
  } as const
}

export function toAnswerColumns({ status, headers, file, body }: AnswerRow) {
  return {
    answer_status: status,
    answer_headers: JSON.stringify(headers),
    answer_file: file,
    answer_body: body,
  }
}

/** Numbers are exact up to 2^53 micro-USDC, nine billion dollars. @throws RangeError above it. */
export function toColumn(amount: AtomicUsdc): number {
  if (amount > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('amount exceeds 2^53 micro-USDC')
  return Number(amount)
}
