import type { Address } from '@tollbook/chain/hex'
import type { Window } from '@tollbook/verify/build/window'
import { SUFFICIENT_EVIDENCE } from '@tollbook/verify/chain/payment-rule'
import type { Screen, ScreenInputs } from '@tollbook/verify/screen/screen'
import { toAddressSet } from '../ledger/address-literal.ts'
import type { Coverage } from '../ledger/coverage/coverage.ts'
import type { Ledger } from '../ledger/ledger.ts'

export type Method = {
  /** By priority. */
  readonly screens: readonly Screen[]
  readonly inputs: ScreenInputs
  readonly listedPayees: ReadonlySet<Address>
}

/** Which payments, by which method. */
export type Criteria = Omit<Selection, 'dialect' | 'table' | 'transferTable'>

/** Criteria in a ledger. */
export type Selection = Pick<Ledger, 'dialect'> & {
  readonly table: string
  readonly transferTable: string
  readonly coverage: Coverage
  /** The attempts that hold transfers out of merchants' wallets. */
  readonly outflowAttempts: readonly number[]
  /** Epoch seconds; start <= time < end. */
  readonly window: Pick<Window, 'start' | 'end' | 'isEarlierRead'>
  readonly method: Method
}

export function selectFrom<Of extends Criteria>(
  { dialect, table, transfers }: Ledger,
  criteria: Of,
): Of & Pick<Selection, 'dialect' | 'table' | 'transferTable'> {
  return { ...criteria, dialect, table, transferTable: transfers.table }
}

/** SQL: a row is covered and the payment rule counts it. No alias of ours equals a column name. */
export function whereVisible({
  coverage,
  window,
  method,
}: Pick<Selection, 'coverage' | 'window' | 'method'>): string {
  const isSufficient = `bitAnd(evidence, ${SUFFICIENT_EVIDENCE}) != 0`
  return [
    whereRead(window, coverage.attempts),
    method.listedPayees.size === 0
      ? isSufficient
      : `(${isSufficient} OR merchant IN ${toAddressSet(method.listedPayees)})`,
  ].join(' AND ')
}

/** A condition that is true for the rows of a window that belong to some attempts. */
export function whereRead({ start, end }: Selection['window'], attempts: readonly number[]): string {
  const isCovered = attempts.length === 0 ? '0' : `attempt IN (${attempts.join(', ')})`
  return `ts >= ${start} AND ts < ${end} AND ${isCovered}`
}
