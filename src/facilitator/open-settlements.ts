import type { Logger } from 'pino'
import { createRateLimiter } from '../http/request/rate-limit.ts'
import { createSignatureChecker } from '../payments/authorization/check-signature.ts'
import type { ChainReader, Facilitator, GasLeft, SettlementCost } from '../payments/facilitator.ts'
import { createAdmission } from '../payments/gate/admission.ts'
import { createGasShare } from '../payments/gate/gas-share.ts'
import { DEFAULT_LIMITS, type GateLimits } from '../payments/gate/gate-options.ts'
import { createSaleHealth, type SaleOpening } from '../payments/gate/health.ts'
import { createHeartbeat } from '../payments/gate/heartbeat.ts'
import { openLedger } from '../payments/gate/open-ledger.ts'
import type { NoteSettlement, PaymentEvent } from '../payments/payment-event.ts'
import type { InProcessFacilitator } from '../payments/settlement/in-process-facilitator.ts'
import { type ChannelOperations, createChannelOperations } from './channel-operations.ts'
import { createDeliveries } from './deliveries.ts'
import type { PayeeGas } from './payee-gas.ts'
import type { Policy } from './policy.ts'
import { createSettlements, type Settlements } from './settlements.ts'
import type { State } from './state/state.ts'

export type SettlementOptions = {
  readonly state: State
  readonly facilitator: InProcessFacilitator
  readonly chainReader: ChainReader
  readonly policy: Policy
  readonly payeeGas: PayeeGas
  readonly logger: Logger
  readonly dataDir: string
  /** Requests of one payer per minute that did not settle. */
  readonly payerPerMinute: number
  readonly count: (event: PaymentEvent) => void
  readonly noteSettlement?: NoteSettlement
  readonly limits?: Partial<GateLimits>
  readonly clock?: () => Date
  /** How long a request waits for its settlement, ms; default 20,000. */
  readonly waitMs?: number
}

export type OpenSettlements = Settlements & {
  /** Current gas cost of a settlement, as last read. */
  settlementCost(): SettlementCost | null
  /** The gas of its wallets, as last read. */
  gasLeft(): readonly GasLeft[]
  readonly channels: ChannelOperations
  readonly opening: SaleOpening
  health(): { readonly isHealthy: boolean; readonly detail: string }
  close(): Promise<void>
}

/** Chosen: a payer may buy from several sellers at once; each of its settlements is a row. */
const CALLS_PER_PAYER = 256
const DRAIN_MS = 30_000

/** Opens the rows of settlements for other sellers in this process, and resumes what dead processes left. */
export async function openSettlements(options: SettlementOptions): Promise<OpenSettlements> {
  const { facilitator, chainReader, logger, clock = () => new Date() } = options
  const limits = { ...DEFAULT_LIMITS, callsPerPayer: CALLS_PER_PAYER, ...options.limits }
  const settings = { ...options, clock, limits, kind: 'settlements' } as const
  const ledger = await openLedger(settings)
  const health = createSaleHealth({ ...settings, freeBytes: limits.freeBytes })
  const gasShare = createGasShare({ ...limits, settlementCost: health.settlementCost })
  const payerLimiter = createRateLimiter(options.payerPerMinute)
  const shared = { ...ledger, chainReader, gasShare, payerLimiter, logger, checker: createSignatureChecker() }
  const { preview, checkSignature, checkContract } = createAdmission({ ...shared, facilitator })
  const { admit } = createAdmission({ ...shared, facilitator: withoutSimulation(facilitator, chainReader) })
  const deliveries = createDeliveries({ ...ledger, state: options.state, logger })
  const settlements = createSettlements({
    ...options,
    ledger,
    deliveries,
    clock,
    admission: { preview, checkSignature, checkContract, admit },
    closedProblem: health.problem,
  })
  const heartbeat = createHeartbeat({
    ...settings,
    ...ledger,
    health,
    everyMs: limits.heartbeatMs,
    sweepOwn: deliveries.sweep,
  })
  await heartbeat.start()
  const channels = createChannelOperations({
    ...options,
    escrow: facilitator.escrow,
    credit: ledger.credit,
    isSpent: options.payeeGas.isSpent,
    closedProblem: health.problem,
    maxGasPercent: limits.maxGasPercent,
    ...(options.limits?.leaseMs !== undefined && { leaseMs: options.limits.leaseMs }),
  })
  return {
    ...settlements,
    channels,
    settlementCost: health.settlementCost,
    gasLeft: health.gasLeft,
    opening: health.opening,
    health: () => {
      const problem = health.problem()
      return { isHealthy: problem === null, detail: problem?.detail ?? 'payments can be settled' }
    },
    async close() {
      const drained = new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())
      await Promise.race([ledger.owner.drained(), drained])
      await heartbeat.stop()
      await ledger.owner.resign()
    },
  }
}

/**
 * The simulation of the whole batch, before it is sent, also covers a payer without code: nothing was
 * delivered to anyone yet.
 */
function withoutSimulation(facilitator: Facilitator, chainReader: ChainReader): Facilitator {
  return {
    ...facilitator,
    verify: async (payment, signal) => {
      const isPlain = payment.scheme === 'exact' && payment.signature.length === 132
      if (isPlain && !(await chainReader.hasCode(payment.payer, signal))) return { isValid: true }
      return facilitator.verify(payment, signal)
    },
  }
}
