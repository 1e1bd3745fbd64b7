import { PermanentError } from '../../fetching/failure.ts'

/** The payments of this time were read, but are older than the ledger's retention. */
export class PaymentsDropped extends PermanentError {
  override readonly name = 'PaymentsDropped'
}
