/** The document cannot be verified: not JSON, too large, or without identifying fields. */
export class UnusableDocument extends Error {
  override readonly name = 'UnusableDocument'
}

/** The figures could not be recomputed: no response, no such blocks, no inputs. */
export class CannotCheck extends Error {
  override readonly name = 'CannotCheck'
}
