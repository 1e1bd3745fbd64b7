import { requireBlock } from '@tollbook/chain/blocks'
import type { Address, Hex } from '@tollbook/chain/hex'
import type { FailureCause, Settlement, SettleOrder } from '@tollbook/gate/facilitator'
import { isByPermit2, type OfferedPayment } from '@tollbook/gate/payment'
import type { Chain } from '@tollbook/gate/reading/chain'
import type { CodeCache } from '@tollbook/gate/reading/code-cache'
import { findSettlement } from '@tollbook/gate/reading/find-settlement'
import { findTransfer } from '@tollbook/gate/reading/settlement-logs'
import { reasonsOf } from '@tollbook/gate/reasons'
import { toCostOfEach } from '../chain/gas-cost.ts'
import { type Sending, type SendOptions, sendTransaction } from '../sending/send-transaction.ts'
import type { Wallet } from '../sending/wallet.ts'
import type { GasLimits } from './gas-limits.ts'
import { plainGasOf, planBatch, planSettlement, type SettlementPlan } from './plan-settlement.ts'
import { type Simulation, simulateBatch, simulateSettlement } from './simulate.ts'

export type SettleContext = SendOptions & {
  /** All wallets that may have sent a settlement of the same payment. */
  readonly wallets: readonly Wallet[]
  readonly codes: CodeCache
  readonly limits: GasLimits
  readonly allowedFactories: readonly Address[]
  /** Dollars for an ETH, whole. */
  readonly ethUsd: number
}

/** Reports the outcome of one order, once. */
export type Report = (order: SettleOrder, settlement: Settlement) => void

/**
 * Settles orders whose payers have no code in one transaction. Orders that the simulation or the logs show as
 * unpaid are handled one by one; a transaction that fails as a whole is followed by one for each order.
 */
export async function settleBatch(
  orders: readonly SettleOrder[],
  context: SettleContext,
  report: Report,
): Promise<void> {
  const [only] = orders
  if (orders.length === 1 && only) return report(only, await settleSingle(only, context))
  const { chain, signer } = context.wallet
  const plan = toPlan(orders)
  let simulated: readonly boolean[] | null
  try {
    simulated = await simulateBatch(chain, plan, signer.address)
  } catch {
    for (const order of orders) report(order, unknownYet('chain_unreachable'))
    return
  }
  if (!simulated) return settleEach(orders, context, report)
  const doubtful = orders.filter((_, at) => !simulated[at])
  const sound = orders.filter((_, at) => simulated[at])
  await Promise.all([
    settleEach(doubtful, context, report),
    sound.length < 2
      ? settleEach(sound, context, report)
      : sendBatch(sound, doubtful.length > 0 ? toPlan(sound) : plan, context, report),
  ])
}

const toPlan = (orders: readonly SettleOrder[]) => planBatch(orders.map(({ payment }) => payment))

async function sendBatch(
  orders: readonly SettleOrder[],
  { call, gas }: SettlementPlan,
  context: SettleContext,
  report: Report,
): Promise<void> {
  const sending = await sendTransaction({ orders, call, gas: gas ?? 0n }, context)
  if (sending.kind === 'withheld') {
    for (const order of orders.filter((order) => sending.orders.has(order)))
      report(order, { outcome: 'failed', reason: 'not_recorded', cause: 'operator' })
    return settleBatch(
      orders.filter((order) => !sending.orders.has(order)),
      context,
      report,
    )
  }
  if (sending.kind === 'mined' && sending.receipt.status !== '0x1') {
    // Most likely a payer has gained code since the cached read.
    for (const { payment } of orders) context.codes.forget(payment.payer)
    const gas = BigInt(sending.receipt.gasUsed)
    return settleEach(orders, context, await shareBurnt(orders, { gas, context, report }))
  }
  const whole = { ...context, orders: orders.length }
  await Promise.all(orders.map(async (order) => report(order, await toSettlement(order, sending, whole))))
}

/**
 * Assigns the gas of a reverted batch to those of its payers who now have code and do not pay on their own
 * either.
 */
async function shareBurnt(
  orders: readonly SettleOrder[],
  { gas, context, report }: { gas: bigint; context: SettleContext; report: Report },
): Promise<Report> {
  const codes = new Map<SettleOrder, Hex>()
  const reading = orders.map(async (order) => {
    const codeHash = await context.codes.payerCode(order.payment)
    if (codeHash) codes.set(order, codeHash)
  })
  // If the chain cannot be read, nobody is blamed.
  await Promise.allSettled(reading)
  return (order, settlement) => {
    const codeHash = codes.get(order)
    if (!codeHash || settlement.outcome !== 'failed' || settlement.cause === 'operator')
      return report(order, settlement)
    const share = gas / BigInt(codes.size) + (settlement.burnt?.gas ?? 0n)
    report(order, { ...settlement, cause: 'reverted', burnt: { codeHash, gas: share } })
  }
}

async function settleEach(
  orders: readonly SettleOrder[],
  context: SettleContext,
  report: Report,
): Promise<void> {
  await Promise.all(orders.map(async (order) => report(order, await settleSingle(order, context))))
}

/** Settles one order in a transaction of its own. */
export async function settleSingle(order: SettleOrder, context: SettleContext): Promise<Settlement> {
  const { wallet, codes, limits, allowedFactories } = context
  const { payment, amount } = order
  let plan: SettlementPlan | { readonly reason: string }
  let simulation: Simulation
  try {
    const payerHasCode = (await codes.payerCode(payment)) !== null
    plan = planSettlement(payment, { amount, payerHasCode, allowedFactories })
    if ('reason' in plan) return { outcome: 'failed', reason: plan.reason, cause: 'payer' }
    simulation = await simulateSettlement(wallet.chain, { plan, payment, from: wallet.signer.address })
  } catch {
    return unknownYet('chain_unreachable')
  }
  if (!simulation.isOk) {
    const { reason, cause } = simulation
    return explainUnpaid(order, { reason, cause, transaction: null }, context)
  }
  const limit = plan.gas ?? limits.find(payment)?.gas ?? null
  const gas = limit ?? plainGasOf(payment)
  if (simulation.gas > gas) {
    // Without a limit of its own it was verified by another process, or before a restart.
    const cause = limit === null ? 'operator' : 'payer'
    return explainUnpaid(order, { reason: 'gas_limit_exceeded', cause, transaction: null }, context)
  }
  const sending = await sendTransaction({ orders: [order], call: plan.call, gas }, context)
  const settlement = await toSettlement(order, sending, { ...context, orders: 1 })
  if (settlement.outcome !== 'unknown') limits.forget(payment)
  return settlement
}

async function toSettlement(
  order: SettleOrder,
  sending: Sending,
  context: SettleContext & { readonly orders: number },
): Promise<Settlement> {
  const { payment } = order
  const { orders } = context
  switch (sending.kind) {
    case 'withheld':
      return explainUnpaid(order, { reason: 'not_recorded', cause: 'operator', transaction: null }, context)
    case 'not-sent':
      return explainUnpaid(order, { reason: sending.reason, cause: 'operator', transaction: null }, context)
    case 'unknown':
      return { outcome: 'unknown', transaction: sending.transaction, reason: sending.reason }
    case 'mined': {
      const { receipt } = sending
      const transaction = receipt.transactionHash
      const finding = findTransfer(receipt.logs, payment)
      if (receipt.status === '0x1' && finding.kind === 'paid') {
        const gasCost = toCostOfEach(receipt, orders, context.ethUsd)
        return { outcome: 'settled', transaction, amount: finding.amount, gasCost }
      }
      const reason = reasonsOf(payment).other
      const atLeast = Number(receipt.blockNumber)
      const unpaid = await explainUnpaid(order, { reason, cause: 'reverted', transaction, atLeast }, context)
      if (unpaid.outcome !== 'failed' || unpaid.cause !== 'reverted') return unpaid
      const codeHash = context.limits.find(payment)?.codeHash ?? (await readCodeAgain(payment, context))
      return { ...unpaid, burnt: { codeHash, gas: BigInt(receipt.gasUsed) / BigInt(orders) } }
    }
    default:
      return sending satisfies never
  }
}

/** The code that the payer has now: it had none when it was verified. */
async function readCodeAgain(payment: OfferedPayment, { codes }: SettleContext): Promise<Hex | null> {
  codes.forget(payment.payer)
  return codes.payerCode(payment).catch(() => null)
}

type Attempt = {
  readonly reason: string
  readonly cause: FailureCause
  readonly transaction: Hex | null
  /** The block in which the transaction was mined. */
  readonly atLeast?: number
}

/**
 * The outcome of an order that this attempt did not pay. Another may have paid it: an earlier transaction of
 * ours, or anyone who saw the authorization. The outcome is `failed` only if none has paid and none can.
 */
async function explainUnpaid(
  { payment }: SettleOrder,
  attempt: Attempt,
  { wallet, wallets }: SettleContext,
): Promise<Settlement> {
  const { reason, cause, transaction, atLeast } = attempt
  const unknown: Settlement = { outcome: 'unknown', transaction, reason }
  try {
    // In this order, the second read sees a transaction that is mined between the two.
    const pending = wallets.map(async ({ nonces, refreshCount }) =>
      nonces.mayStillSettle(payment, await refreshCount()),
    )
    const isPending = (await Promise.all(pending)).includes(true)
    const found = await findSettlement(wallet.chain, payment, attempt)
    if (found.found === 'settled')
      return { outcome: 'settled', transaction: found.transaction, amount: found.amount }
    if (found.found === 'cancelled') {
      const isCostly = cause === 'reverted'
      return { outcome: 'failed', reason: 'authorization_cancelled', cause: isCostly ? cause : 'payer' }
    }
    // A node that lags shows a nonce as unused that another one has shown as used.
    if (isPending || (found.found === 'open' && reason === reasonsOf(payment).used)) return unknown
    const isLate = atLeast !== undefined && (await isAfterEnd(wallet.chain, payment, atLeast))
    return { outcome: 'failed', reason, cause: isLate ? 'operator' : cause }
  } catch {
    return unknown
  }
}

/**
 * Whether a block came too late for an authorization; the bounds of EIP-3009 and Permit2 differ by a second.
 */
async function isAfterEnd(chain: Chain, payment: OfferedPayment, block: number): Promise<boolean> {
  const { timestamp } = await requireBlock(chain.rpc, block)
  return isByPermit2(payment) ? timestamp > payment.validBefore : timestamp >= payment.validBefore
}

function unknownYet(reason: string): Settlement {
  return { outcome: 'unknown', transaction: null, reason }
}
