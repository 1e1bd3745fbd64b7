/** A part of a request that a model can never serve. */
export type Unserved = {
  /** The field, or a dotted path below it. */
  readonly parameter: string
  /** Completes a sentence that starts with the field's name. */
  readonly detail: string
}
