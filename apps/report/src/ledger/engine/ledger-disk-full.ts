import { RetryableError } from '@tollbook/flow/failure'

/** Nothing more can be written; nothing that was written is lost. */
export class LedgerDiskFull extends RetryableError {
  override readonly name = 'DiskFull'
  /** By which it is recognized. */
  readonly code = 'ENOSPC'

  /** @param where the server or folder */
  constructor(where: string, cause: unknown) {
    super(`disk of the ledger (${where}) full; indexing resumes when space is freed`, { cause })
  }
}

/** Engines report the errors of their files as text. */
export function isFullByText(message: string): boolean {
  return /No space left on device|errno: (28|122)\b|Disk quota exceeded/.test(message)
}
