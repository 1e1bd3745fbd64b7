export type MethodChange = {
  readonly version: string
  /** How figures of this version differ in meaning from those of the version before. */
  readonly changes: readonly string[]
}

/** Every version of the whole method, newest first: the payment rule, the list of facilitators, and the screens. */
export const METHOD_CHANGES = Object.freeze([
  {
    version: '3',
    changes: [
      'Two screens came in after round_trip: funded_by_merchant, and circular. For them, the transfers into buyers and of wallets between merchants and their buyers are read, and a window is complete only when these are known.',
      'The screen above_listing flags payments that no listed price explains.',
      'tiny_repeat flags only buyers that got some of their money from the merchant: a small price is no suspicion.',
      'Counts, percentiles and ranks begin at the lowest fixed price listed, or at $0.001 without one, with a metered price, which is a maximum, or if most of the dollars are below it: dust moves none of them.',
      'Reports have effective_buyers, and returning_buyers.',
      'Claims from payment channels, captures and payments over routers count for the seller that receives the money.',
      'Reports have fees_usd, and payments.ndjson has fee_usd: what routers and escrows kept of payments.',
      'Reports have inferred_revenue: what endpoints with a price of their own probably earned.',
      'The percentage of the claim is computed from the published dollars, days add up to the totals, and bazaar_listings has each paid endpoint once.',
      'A window that begins before the chain, or before its first indexed block, is not complete.',
    ],
  },
  {
    version: '2',
    changes: [
      'The screen round_trip came in, between self_pay and tiny_repeat. For it, transfers out of the wallets of merchants are read, and a window is complete only when these are known.',
      'Reports say when much of the money came from wallets that exchanges or bridges had filled, where a list of labels is configured.',
    ],
  },
  {
    version: '1',
    changes: ['The payment rule, the windows, the screens self_pay and tiny_repeat, and all figures.'],
  },
] as const satisfies readonly MethodChange[])
