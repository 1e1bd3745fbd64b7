import { type Address, parseUint, toQuantity } from '@tollbook/chain/hex'
import { decodeAggregate } from '@tollbook/chain/multicall'
import { isExecutionFailure, RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import type { FailureCause } from '@tollbook/gate/facilitator'
import { isByPermit2, type OfferedPayment } from '@tollbook/gate/payment'
import {
  type Chain,
  readAllowance,
  readBalance,
  readNonceUse,
  simulateCall,
} from '@tollbook/gate/reading/chain'
import { type ReasonKind, type RefusalKind, reasonsOf } from '@tollbook/gate/reasons'
import { causeOf, reasonKindOf, refusalKindOf } from '../revert-reason.ts'
import type { SettlementPlan } from './plan-settlement.ts'

/** The outcome of a settlement on the chain right now. */
export type Simulation =
  /** `gas`: the plan's limit, or the node's estimate. */
  | { readonly isOk: true; readonly gas: bigint }
  | {
      readonly isOk: false
      readonly reason: string
      readonly cause: FailureCause
      readonly kind: RefusalKind
    }

/** Maximum gas for a wallet's own code and its deployment. */
const MAX_ESTIMATED_GAS = 1_500_000

/**
 * Simulates a planned settlement of one payment: one eth_call for wallets without code. On failure the chain
 * is read for the cause.
 * @throws what the RPC throws if it does not answer.
 */
export async function simulateSettlement(
  chain: Chain,
  { plan, payment, from }: { plan: SettlementPlan; payment: OfferedPayment; from: Address },
  signal?: AbortSignal,
): Promise<Simulation> {
  try {
    const call = { from, ...plan.call, gas: MAX_ESTIMATED_GAS }
    const returned = await simulateCall(chain, call, signal)
    const last = plan.isAggregate ? decodeAggregate(returned).at(-1) : { isOk: true, data: '0x' as const }
    if (!last?.isOk)
      return await explain(chain, payment, new RpcRefusal('eth_call', revertOf(last?.data)), signal)
    return { isOk: true, gas: plan.gas ?? (await estimateGas(chain, call, signal)) }
  } catch (error) {
    if (isRefusedByContracts(error)) return await explain(chain, payment, error, signal)
    throw error
  }
}

/** For each payment of a batch, whether it would settle; null if the batch as a whole cannot be simulated. */
export async function simulateBatch(
  chain: Chain,
  plan: SettlementPlan,
  from: Address,
): Promise<readonly boolean[] | null> {
  try {
    const returned = await simulateCall(chain, { from, ...plan.call, gas: Number(plan.gas) })
    return decodeAggregate(returned).map(({ isOk }) => isOk)
  } catch (error) {
    // Usually out of gas, used up by the code of one payer.
    if (isRefusedByContracts(error)) return null
    throw error
  }
}

function isRefusedByContracts(error: unknown): error is RpcRefusal {
  return error instanceof RpcRefusal && isExecutionFailure(error)
}

/**
 * Derives the cause from the chain's state rather than from the text of the revert, which differs between
 * tokens.
 */
async function explain(
  chain: Chain,
  payment: OfferedPayment,
  refusal: RpcRefusal,
  signal?: AbortSignal,
): Promise<Simulation> {
  const { payer, signedAmount, permit } = payment
  const [use, balance, allowance] = await Promise.all([
    readNonceUse(chain, payment, signal ? { signal } : {}),
    readBalance(chain, payer, signal),
    isByPermit2(payment) && !permit ? readAllowance(chain, payer, signal) : signedAmount,
  ])
  const refused = (kind: ReasonKind, refusalKind = refusalKindOf(kind)): Simulation => ({
    isOk: false,
    reason: reasonsOf(payment)[kind],
    cause: causeOf(kind),
    kind: refusalKind,
  })
  if (use.isUsed) return refused('used')
  const kind = reasonKindOf(refusal)
  if (kind === 'signature' || kind === 'ended' || kind === 'early') return refused(kind)
  if (balance < signedAmount) return refused('balance')
  if (allowance < signedAmount) return refused('allowance', 'allowance')
  return refused(kind)
}

/** What a call would use as the chain is now. @throws RpcRefusal if it reverts. */
export async function estimateGas(
  chain: Chain,
  call: { readonly from: Address; readonly to: Address; readonly data: string; readonly gas: number },
  signal?: AbortSignal,
): Promise<bigint> {
  const estimate = { ...call, gas: toQuantity(call.gas) }
  return parseUint(await chain.rpc.call('eth_estimateGas', [estimate], signal), 'gas estimate')
}

function revertOf(data: `0x${string}` | undefined) {
  return { code: 3, message: 'execution reverted', data: data ?? '0x' }
}
