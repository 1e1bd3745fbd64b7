import { payments } from './0001-payments.ts'
import { wallet } from './0002-wallet.ts'
import { social } from './0003-social.ts'
import { report } from './0004-report.ts'
import { index } from './0005-index.ts'
import { signer } from './0006-signer.ts'
import { walletChanges } from './0007-wallet-changes.ts'
import { listingFreshness } from './0008-listing-freshness.ts'
import { transfers } from './0009-transfers.ts'
import { claims } from './0010-claims.ts'
import { weeks } from './0011-weeks.ts'
import { ledgerRetention } from './0012-ledger-retention.ts'
import { reportChain } from './0013-report-chain.ts'
import { pages } from './0014-pages.ts'
import { scratchpad } from './0015-scratchpad.ts'
import { socialStore } from './0016-social-store.ts'
import { socialWords } from './0017-social-words.ts'
import { socialUpstream } from './0018-social-upstream.ts'
import { socialSessions } from './0019-social-sessions.ts'
import { socialKnownUri } from './0020-social-known-uri.ts'
import { socialImports } from './0021-social-imports.ts'
import { socialRelationPlaces } from './0022-social-relation-places.ts'
import { socialWordsPending } from './0023-social-words-pending.ts'
import { callEffects } from './0024-call-effects.ts'
import { payerCodeUse } from './0025-payer-code-use.ts'
import { liveAllowance } from './0026-live-allowance.ts'
import { confirmedNames } from './0027-confirmed-names.ts'
import { payerCredit } from './0028-payer-credit.ts'
import { listingsByResource } from './0029-listings-by-resource.ts'
import { effectiveBuyers } from './0030-effective-buyers.ts'
import { listingSchemes } from './0031-listing-schemes.ts'
import { operators } from './0032-operators.ts'
import { indexerGauges } from './0034-indexer-gauges.ts'
import { fieldFigures } from './0036-field-figures.ts'
import { endpointHealth } from './0038-endpoint-health.ts'
import { alerts } from './0039-alerts.ts'
import { claimedPrices } from './0040-claimed-prices.ts'
import { returningBuyers } from './0041-returning-buyers.ts'
import { paymentChannels } from './0042-payment-channels.ts'
import { payeeGas } from './0045-payee-gas.ts'
import { facilitatorListings } from './0046-facilitator-listings.ts'
import { channelOperations } from './0050-channel-operations.ts'
import { receiptUrls } from './0053-receipt-urls.ts'
import { repeatAccess } from './0054-repeat-access.ts'
import { sales } from './0055-sales.ts'
import { expiringCalls } from './0058-expiring-calls.ts'
import type { Migration } from './migration.ts'

/** Every migration by number. */
export const MIGRATIONS: readonly Migration[] = [
  payments,
  wallet,
  social,
  report,
  index,
  signer,
  walletChanges,
  listingFreshness,
  transfers,
  claims,
  weeks,
  ledgerRetention,
  reportChain,
  pages,
  scratchpad,
  socialStore,
  socialWords,
  socialUpstream,
  socialSessions,
  socialKnownUri,
  socialImports,
  socialRelationPlaces,
  socialWordsPending,
  callEffects,
  payerCodeUse,
  liveAllowance,
  confirmedNames,
  payerCredit,
  listingsByResource,
  effectiveBuyers,
  listingSchemes,
  operators,
  indexerGauges,
  fieldFigures,
  endpointHealth,
  alerts,
  claimedPrices,
  returningBuyers,
  paymentChannels,
  payeeGas,
  facilitatorListings,
  channelOperations,
  receiptUrls,
  repeatAccess,
  sales,
  expiringCalls,
]
