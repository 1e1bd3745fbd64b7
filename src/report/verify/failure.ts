/**
 * The document cannot be verified: not JSON, too large, or without the fields that identify what to verify.
 */
export class UnusableDocument extends Error {
  override readonly name = 'UnusableDocument'
}

/**
 * No difference was found, but the figures could not be recomputed: no response, no such blocks, no inputs.
 */
export class CannotCheck extends Error {
  override readonly name = 'CannotCheck'
}
