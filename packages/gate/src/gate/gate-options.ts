import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { WalletSignatures } from '@tollbook/chain/wallet-signatures'
import type { Logger } from '@tollbook/flow/logger'
import type { RateLimiter } from '@tollbook/http/request/rate-limit'
import type { SqlTime } from '@tollbook/store/database-time'
import type { RowKind } from '../calls/row-kind.ts'
import type { Gate } from '../contract/exchange.ts'
import type { PaidService } from '../contract/offered-route.ts'
import type { SellerTerms } from '../contract/terms.ts'
import type { ChainReader, Facilitator, GasLeft, SettlementCost } from '../facilitator.ts'
import type { NoteSettlement, PaymentEvent } from '../payment-event.ts'
import type { State } from '../state/state.ts'
import type { ClaimPolicy, OpenChannels } from './channels.ts'
import type { SaleOpening } from './health.ts'
import type { Receipt } from './receipt.ts'

/** Limits that keep one payer, one crash or one full disk from harming other callers. */
export type GateLimits = {
  /** A process that has not renewed its lease for this long counts as dead. */
  readonly leaseMs: number
  /** How often leases are renewed and open rows are checked. */
  readonly heartbeatMs: number
  /** Concurrent calls of one payer. */
  readonly callsPerPayer: number
  /** Micro-USDC that the unsettled metered calls of one payer may cost in total. */
  readonly unsettledUpto: AtomicUsdc
  /** Payments that may fail to settle after the handler ran, before the payer is refused for a while. */
  readonly strikes: number
  /** How long a strike counts. */
  readonly strikeMs: number
  /** How long a payer is refused after a reverted settlement that its settled calls do not cover; 0: not at all. */
  readonly barMs: number
  /** Maximum gas cost of a settlement, in percent of what the call earns. */
  readonly maxGasPercent: number
  /** Gas per hour that reverted settlements of payers with the same code may burn. */
  readonly burntGasPerCode: bigint
  /** The same for all payers with code together; above it only wallets without code are served. */
  readonly burntGasOfCodes: bigint
  /** The same for EIP-2612 permits of payers without code that have not covered a revert. */
  readonly burntGasOfPermits: bigint
  /** Minimum wait before an unsettled transaction is sent again. */
  readonly resendAfterMs: number
  /** Maximum wait for one settlement. */
  readonly settleMs: number
  /** When the vouchers of payment channels are redeemed. */
  readonly claims: ClaimPolicy
  /** Nothing is sold while the data folder has less free space than this. */
  readonly freeBytes: number
}

export type GateOptions = {
  readonly state: State
  readonly facilitator: Facilitator
  readonly chainReader: ChainReader
  /** Opens the payment channels; if absent, none are sold. */
  readonly channels?: OpenChannels
  /** The payee, the ways to pay and the limits of a gate. */
  readonly seller: (service: PaidService) => SellerTerms
  /** Limits the unpaid work of one client address. */
  readonly limiter: RateLimiter
  /** Limits the unpaid work of one payer, whatever addresses it comes from. */
  readonly payerLimiter: RateLimiter
  readonly logger: Logger
  /** Folder for answers too large for a row. */
  readonly dataDir: string
  /** Verifies a SIGN-IN-WITH-X proof with contract wallets; if absent, only keys can sign one. */
  readonly verifyMessage?: WalletSignatures['isSignedBy']
  readonly clock?: () => Date
  /** The clock for leases; defaults to the database's, because the clocks of processes differ. */
  readonly leaseTime?: () => SqlTime
  readonly count?: (event: PaymentEvent) => void
  readonly noteSettlement?: NoteSettlement
  readonly limits?: Partial<GateLimits>
}

/** What the calls of a process need. */
export type CallSettings = Pick<
  GateSettings,
  | 'state'
  | 'facilitator'
  | 'chainReader'
  | 'channels'
  | 'logger'
  | 'dataDir'
  | 'clock'
  | 'leaseTime'
  | 'count'
  | 'noteSettlement'
  | 'limits'
> & { readonly kind?: RowKind }

/** The options of a gate, complete. */
export type GateSettings = GateOptions & {
  readonly clock: () => Date
  readonly count: (event: PaymentEvent) => void
  readonly limits: GateLimits
}

/** The gate of one process, with what its start command and its health route need. */
export interface TollGate extends Gate {
  /** Starts to renew the lease, check the facilitator's health and check open rows at intervals. */
  start(): Promise<void>
  /** Checks the open rows of dead processes once. */
  recover(): Promise<void>
  /** Whether a payment could be taken right now. */
  health(): { readonly isHealthy: boolean; readonly detail: string }
  /** Current gas cost of a settlement; null if the facilitator does not pay for it. */
  settlementCost(): SettlementCost | null
  /** The gas of the wallets that settle, as last read; empty if the facilitator does not pay for it. */
  gasLeft(): readonly GasLeft[]
  readonly opening: SaleOpening
  findReceipt(id: string): Promise<Receipt | null>
  /** Waits for running calls, then gives up the lease. */
  close(): Promise<void>
}

export const DEFAULT_LIMITS: GateLimits = {
  leaseMs: 15_000,
  heartbeatMs: 3_000,
  callsPerPayer: 64,
  // Chosen: ten of the most expensive metered calls; of the cheapest, more than may run at once.
  unsettledUpto: 500_000n,
  strikes: 5,
  strikeMs: 10 * 60_000,
  barMs: 30 * 24 * 60 * 60_000,
  // Chosen: the loss on a call then never exceeds its price, which the payer has paid. At 3,300 dollars per
  // ETH a call of 0.001 dollars is sold up to 0.007 gwei (exact) or 0.006 gwei (upto).
  maxGasPercent: 200,
  // Chosen: about four settlements of a contract wallet; 0.01 dollars at 0.006 gwei.
  burntGasPerCode: 500_000n,
  burntGasOfCodes: 2_000_000n,
  burntGasOfPermits: 2_000_000n,
  resendAfterMs: 15_000,
  settleMs: 30_000,
  // The seller is paid within a minute after a channel went quiet: a heartbeat and two blocks later.
  claims: { amount: 1_000_000n, ageMs: 5 * 60_000, quietMs: 30_000 },
  freeBytes: 64 * 1024 * 1024,
}

export function withDefaults(options: GateOptions): GateSettings {
  const { clock = () => new Date(), count = () => {} } = options
  return { ...options, clock, count, limits: { ...DEFAULT_LIMITS, ...options.limits } }
}
