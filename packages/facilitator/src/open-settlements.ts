import { openChannels } from '@tollbook/channels/open-channels'
import type { Logger } from '@tollbook/flow/logger'
import { createSignatureChecker } from '@tollbook/gate/authorization/check-signature'
import type { ChainReader, Facilitator, GasLeft, SettlementCost } from '@tollbook/gate/facilitator'
import { Admission } from '@tollbook/gate/gate/admission'
import { createGasShare } from '@tollbook/gate/gate/gas-share'
import { DEFAULT_LIMITS, type GateLimits } from '@tollbook/gate/gate/gate-options'
import { createSaleHealth, type SaleHealth, type SaleOpening } from '@tollbook/gate/gate/health'
import { Heartbeat } from '@tollbook/gate/gate/heartbeat'
import { type OpenCalls, openCalls } from '@tollbook/gate/gate/open-calls'
import type { NoteSettlement, PaymentEvent } from '@tollbook/gate/payment-event'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { ChannelOperations } from './channel-operations.ts'
import { Deliveries } from './deliveries.ts'
import type { PayeeGas } from './payee-gas.ts'
import type { Policy } from './policy.ts'
import type { InProcessFacilitator } from './settlement/in-process-facilitator.ts'
import { Settlements } from './settlements.ts'
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

export type OpenSettlements = {
  readonly settlements: Settlements
  /** Current gas cost of a settlement, as last read. */
  readonly settlementCost: () => SettlementCost | null
  /** The gas of its wallets, as last read. */
  readonly gasLeft: () => readonly GasLeft[]
  /** Null if the facilitator has no escrow. */
  readonly channels: ChannelOperations | null
  readonly opening: SaleOpening
  health(): { readonly isHealthy: boolean; readonly detail: string }
  close(): Promise<void>
}

/** Chosen: a payer may buy from several sellers at once; each of its settlements is a row. */
const CALLS_PER_PAYER = 256
const DRAIN_MS = 30_000

/** Opens the rows of settlements for other sellers in this process, and resumes what dead processes left. */
export async function openSettlements(options: SettlementOptions): Promise<OpenSettlements> {
  const { state, facilitator, logger, dataDir, policy, payeeGas } = options
  const { clock = () => new Date() } = options
  const limits = { ...DEFAULT_LIMITS, callsPerPayer: CALLS_PER_PAYER, ...options.limits }
  const opened = await openCalls({
    ...options,
    channels: openChannels,
    clock,
    limits,
    kind: 'settlements',
  })
  const { calls, answers, owner, keyedHash, recovery, settler, credit } = opened
  const health = createSaleHealth({ facilitator, dataDir, freeBytes: limits.freeBytes, logger, clock })
  const [admission, lastAdmission] = openAdmissions(options, opened, health, limits.maxGasPercent)
  const deliveries = new Deliveries({ state, owner, keyedHash, logger })
  const settlements = new Settlements({
    calls,
    owner,
    keyedHash,
    settler,
    recovery,
    admission,
    lastAdmission,
    deliveries,
    payeeGas,
    policy,
    closedProblem: health.problem,
    clock,
    waitMs: options.waitMs,
  })
  const heartbeat = new Heartbeat({
    state,
    owner,
    recovery,
    health,
    answers,
    claims: opened.channels.claims,
    logger,
    clock,
    everyMs: limits.heartbeatMs,
    sweepOwn: (now) => deliveries.sweep(now),
  })
  await heartbeat.start()
  const { escrow } = facilitator
  const channels =
    escrow === undefined
      ? null
      : new ChannelOperations({
          escrow,
          credit,
          state,
          policy,
          payeeGas,
          closedProblem: health.problem,
          maxGasPercent: limits.maxGasPercent,
          logger,
          waitMs: options.waitMs,
          leaseMs: options.limits?.leaseMs,
        })
  return {
    settlements,
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
      await Promise.race([owner.drained(), drained])
      await heartbeat.stop()
      await owner.resign()
    },
  }
}

/** The admission that verifies a payment, and the one right before it is settled. */
function openAdmissions(
  { facilitator, chainReader, payerPerMinute, logger }: SettlementOptions,
  { exposure, payerCodes, credit, channels: { vouchers } }: OpenCalls,
  { settlementCost }: SaleHealth,
  maxGasPercent: number,
): readonly [Admission, Admission] {
  const checker = createSignatureChecker()
  const gasShare = createGasShare({ maxGasPercent, settlementCost })
  const payerLimiter = createRateLimiter(payerPerMinute)
  const open = (verifier: Pick<Facilitator, 'verify'>) =>
    new Admission({
      checker,
      facilitator: verifier,
      chainReader,
      exposure,
      payerCodes,
      credit,
      vouchers,
      gasShare,
      payerLimiter,
      logger,
    })
  return [open(facilitator), open(withoutSimulation(facilitator, chainReader))]
}

/**
 * The simulation of the whole batch, before it is sent, also covers a payer without code: nothing was
 * delivered to anyone yet.
 */
function withoutSimulation(facilitator: Facilitator, chainReader: ChainReader): Pick<Facilitator, 'verify'> {
  return {
    verify: async (payment, signal) => {
      const isPlain = payment.scheme === 'exact' && payment.signature.length === 132
      if (isPlain && !(await chainReader.hasCode(payment.payer, signal))) return { isValid: true }
      return facilitator.verify(payment, signal)
    },
  }
}
