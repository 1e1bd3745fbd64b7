import { PermanentError } from '../../fetching/failure.ts'

/** Payments of a time were read once, and are older than the ledger is told to keep. */
export class NotKept extends PermanentError {
  override readonly name = 'NotKept'
}
