import type { EVMMessageVerifier } from '@x402/extensions/sign-in-with-x'
import type { Logger } from 'pino'
import type { Gate } from '../../catalogue/exchange.ts'
import type { Service } from '../../catalogue/service.ts'
import type { RateLimiter } from '../../catalogue/serving/rate-limit.ts'
import type { SellerTerms } from '../../catalogue/terms.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import type { SqlTime } from '../../state/database-time.ts'
import type { State } from '../../state/state.ts'
import type { ChainReader, Facilitator, SettlementCost } from '../facilitator.ts'
import type { PaymentEvent } from '../payment-event.ts'
import type { Receipt } from './receipt.ts'

/** Bounds that keep one payer, one crash or one disk from harming the others. */
export type GateLimits = {
  /** A process that did not renew its lease for so long is taken for dead. */
  readonly leaseMs: number
  /** How often leases are renewed and open rows are looked over. */
  readonly heartbeatMs: number
  /** Calls of one payer that may run at the same time. */
  readonly callsPerPayer: number
  /** Micro-USDC that metered calls of one payer may come to before they are settled. */
  readonly unsettledUpto: AtomicUsdc
  /** Payments that may fail to settle after the handler ran, before the payer is refused for a while. */
  readonly strikes: number
  /** How long a strike counts. */
  readonly strikeMs: number
  /** What the gas of a settlement may cost, in percent of what the call earns. */
  readonly maxGasPercent: number
  /** Gas that reverted settlements of payers with one code may burn in an hour. */
  readonly burntGasPerCode: bigint
  /** The same for all payers with code together; beyond it only wallets without code are served. */
  readonly burntGasOfCodes: bigint
  /** The same for payers without code; beyond it each may have one call at once, and one more for each it paid. */
  readonly burntGasOfPlain: bigint
  /** An unsettled transaction is sent again at the earliest after this time. */
  readonly resendAfterMs: number
  /** Longest wait for one settlement. */
  readonly settleMs: number
  /** Below this much free space in the data folder nothing is sold. */
  readonly freeBytes: number
}

export type GateOptions = {
  readonly state: State
  readonly facilitator: Facilitator
  readonly chainReader: ChainReader
  /** Whom and how a service's callers pay. */
  readonly seller: (service: Service) => SellerTerms
  /** Bounds the unpaid work of one client address. */
  readonly limiter: RateLimiter
  /** Bounds the unpaid work of one payer, whatever addresses it comes from. */
  readonly payerLimiter: RateLimiter
  readonly logger: Logger
  /** Where answers too large for a row are kept. */
  readonly dataDir: string
  /** Asks contract wallets about a SIGN-IN-WITH-X proof; absent: only keys can give one. */
  readonly verifyMessage?: EVMMessageVerifier
  readonly clock?: () => Date
  /** By which leases are judged; default the database's, since the clocks of processes differ. */
  readonly leaseTime?: () => SqlTime
  readonly count?: (event: PaymentEvent) => void
  readonly limits?: Partial<GateLimits>
}

/** The gate of one process, with what its start command and its health route need. */
export interface TollGate extends Gate {
  /** Takes the lease, reads the facilitator's health and looks over open rows, again and again. */
  start(): Promise<void>
  /** Looks over the open rows of dead processes once. */
  recover(): Promise<void>
  /** Whether a payment could be taken right now. */
  health(): { readonly isHealthy: boolean; readonly detail: string }
  /** What the gas of a settlement costs now; null where the facilitator does not pay for it. */
  settlementCost(): SettlementCost | null
  findReceipt(id: string): Promise<Receipt | null>
  /** Waits for calls under way, then gives up the lease. */
  close(): Promise<void>
}

export const DEFAULT_LIMITS: GateLimits = {
  leaseMs: 15_000,
  heartbeatMs: 3_000,
  callsPerPayer: 64,
  // Chosen: ten of the dearest metered calls; of the cheapest, more than may run.
  unsettledUpto: 500_000n,
  strikes: 5,
  strikeMs: 10 * 60_000,
  // Chosen: the loss on a call then never exceeds its price, which the payer has paid. At 3,300 dollars per ETH a call
  // of 0.001 dollars is sold up to 0.007 gwei (exact) or 0.006 gwei (upto).
  maxGasPercent: 200,
  // Chosen: some four settlements of a contract wallet; 0.01 dollars at 0.006 gwei.
  burntGasPerCode: 500_000n,
  burntGasOfCodes: 2_000_000n,
  burntGasOfPlain: 2_000_000n,
  resendAfterMs: 15_000,
  settleMs: 30_000,
  freeBytes: 64 * 1024 * 1024,
}
