/** A document is none that could be verified: no JSON, too large, or without the fields that say what to verify. */
export class UnusableDocument extends Error {
  override readonly name = 'UnusableDocument'
}

/** Nothing is known to be wrong, but the figures could not be recomputed: no answer, no such blocks, no inputs. */
export class CannotCheck extends Error {
  override readonly name = 'CannotCheck'
}
