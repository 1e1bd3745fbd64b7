import type { Screen } from './screen.ts'

/** A merchant that pays itself. */
export const selfPay: Screen = Object.freeze({
  kind: 'self_pay',
  version: 1,
  title: 'Merchant pays itself',
  explanation:
    'Every payment whose buyer is the merchant wallet itself, or a wallet that the merchant has disclosed as its own.',
  innocentCauses: [
    'A merchant tests its own endpoints with real payments.',
    'One operator runs several services that call each other.',
  ],
  thresholds: {},
  isCandidate: () => true,
  flagsPair: ({ buyer, merchant }, { disclosedWallets }) =>
    buyer === merchant || (disclosedWallets.get(merchant)?.has(buyer) ?? false),
  sql: {
    candidate: () => '1',
    basis: 'wallets',
    pair: ({ isOneWallet, isPairOf }, { disclosedWallets }) =>
      `(${isOneWallet} OR ${isPairOf(disclosedWallets)})`,
  },
} satisfies Screen)
