/** Which transfers count, for people. The data behind each term is in a report's inputs. */
export const PAYMENT_RULE =
  'A transfer of native USDC on Base, above zero, that is joined to an EIP-3009 AuthorizationUsed log of the same transaction (log after log, each used once) and was sent by a known facilitator or went to the payTo of a listed endpoint; or a settlement through an x402 Permit2 proxy; or a claim from a payment channel (Claimed of the batch-settlement escrow, from the payer to the receiver of the channel, whose terms are in the calldata of the transaction or in a ChannelCreated log of the last 129,600 blocks), or a capture from an authorize-and-capture escrow, less its fee. A deposit into an escrow is no payment, nor is what the escrow pays out afterwards. When the recipient passes the money on within the transaction, by transfers without an authorization of their own, at least 90 % of it or any share for a known facilitator, over at most three wallets, the last recipients are the merchants and are paid what they received. Wallets of facilitators themselves are no merchants.'

export const WINDOW_RULE =
  'Seven days by block time, or on request 1, 14 or 30: start <= time < end. On Base these are exactly the blocks, 43,200 a day, from start_block up to, not including, end_block. Screens look at the window, and at least at the seven days to its end. A window is complete when its end is final, every block of it was read, and every transfer out of its merchants in it is known.'

export const ROUNDING_RULE =
  'Sums are kept in integers of micro-USDC and rounded half up to cents at the end. With R the real sum and F1 to Fn the flags in order, flag i is round(R+F1+..+Fi) - round(R+F1+..+Fi-1), so rounded figures add up to the cent. Days are rounded on their own. Prices and percentiles are exact.'

/** How each figure of a report is defined, for the methodology page and for /method.json. */
export const DEFINITIONS = [
  {
    term: 'Payment',
    text: PAYMENT_RULE,
  },
  { term: 'Window', text: WINDOW_RULE },
  {
    term: 'Published week',
    text: 'A week ends at the first block at or after Sunday 12:00:00 UTC and is named by the date of its end. It touches eight dates. The newest window, which moves on with the chain, is published besides.',
  },
  {
    term: 'Reported and real',
    text: 'Reported figures (tx, usd, buyers) count every payment. Real figures (real_tx, real_usd, real_buyers) count the payments that pass every screen. A buyer is real when at least one of its payments passes.',
  },
  {
    term: 'One flag a payment',
    text: 'A payment counts under the first screen that matches, in the order of the list. So the flags of a report add up exactly to reported minus real.',
  },
  { term: 'Rounding', text: ROUNDING_RULE },
  {
    term: 'Percentiles',
    text: 'An amount that was actually paid: the smallest at or below which the share lies (percentile_disc). median_passing is taken over passing payments, 0 when there is none.',
  },
  {
    term: 'top_buyer_share',
    text: 'What the largest buyer paid, as a share of reported usd, four decimals.',
  },
  {
    term: 'effective_buyers',
    text: 'How concentrated the reported dollars are: 1 divided by the sum of the squared shares of the buyers, two decimals. Ten buyers that pay the same are 10; one that pays nearly everything is little more than 1. A figure, not an accusation: many honest services have one large customer.',
  },
  {
    term: 'returning_buyers',
    text: 'Real buyers of the window that also made a payment that counts, flagged or not, to the same merchant in the seven days before it; of a published week, in the week before. Absent when these seven days were not read completely, or are no longer stored.',
  },
  {
    term: 'fees_usd',
    text: 'What routers kept of payments that they passed on to the merchant within the transaction, and escrows of captures: what buyers paid minus what recipients received. A split shares it by what each received. In no other figure; absent without such fees.',
  },
  {
    term: 'inferred_revenue',
    text: 'Inferred, because the chain does not show which endpoint a payment was for: payments of exactly a fixed price that only one listed endpoint of the merchant has are counted for it, and everything else as unattributed, so that each column adds up to its total to the cent. A metered price is a maximum and is never matched. Another payment of the same amount cannot be told apart. Absent when no listed price is unique.',
  },
  {
    term: 'Payments that count',
    text: "Counts of payments and buyers, and the percentiles, begin at the lowest price of the merchant's listings, or at $0.001 without listings or with a metered one, whose price is a maximum. Smaller payments are in the dollars only: anyone can send dust to anyone.",
  },
  {
    term: 'exchange_flow_note',
    text: 'A sentence when at least 25% of the reported dollars came from buyers of whose own USDC in the window at least half came directly from wallets on the label list in use, as of exchanges and bridges; null when that was checked and is not so. Absent without a label list, and when too many buyers were not looked at to tell.',
  },
  {
    term: 'rank_by_real_revenue',
    text: 'By real revenue in micro-USDC, then real_tx, then address. No rank when the report is frozen, its window incomplete, or no counted payment passes every screen.',
  },
  {
    term: 'name',
    text: 'The host under which most endpoints that pay the wallet are listed, without www.; the wallet address when none is listed. A listing is what its source says: the chain knows no host. A name is confirmed when the wallet has claimed its report, or when two catalogues of different hosts, or a service of the operator, list the host for the wallet. Pages show the address in place of an unconfirmed name, and the name as unconfirmed.',
  },
  {
    term: 'frozen',
    text: 'No payment came in the newest window: the last report stands, and last_seen_week stays behind.',
  },
  {
    term: 'claimed',
    text: 'The wallet itself signed a challenge. A claim never changes a figure by itself; what further wallets that it names have paid counts under self_pay.',
  },
] as const
