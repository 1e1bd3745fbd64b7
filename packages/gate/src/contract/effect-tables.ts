/** The table of the changes that paid calls have staged; the ledger of calls writes it. */
export type EffectTables = {
  /** What a call will change once its payment has settled: written or deleted with the change of the call's state. */
  readonly call_effect: {
    /** `paid_call.id`. */
    readonly call: string
    /** Whose data it changes, such as `wallet/0x…`. */
    readonly owner: string
    /** What of the owner's data, and which row of that. */
    readonly resource: string
    readonly part: string | null
    readonly is_exclusive: number
    readonly is_new: number
    readonly bytes: number
    readonly rows: number
    readonly last_id: number
    /** SQL statements with their parameters, JSON. */
    readonly statements: string
  }
}
