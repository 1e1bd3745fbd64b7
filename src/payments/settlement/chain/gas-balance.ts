import type { Address } from '../../../catalogue/endpoint.ts'
import type { Chain } from './chain.ts'
import { FeeBoundReached, type FeeSource } from './fees.ts'

export type Health = { readonly isHealthy: boolean; readonly detail: string }

/** What one settlement may cost at most, in gas. */
const SETTLEMENT_GAS = 150_000n
const KEPT_MS = 5_000

/** Tells, at most every five seconds anew, whether the wallet can pay for settlements. */
export function createGasBalance(
  chain: Chain,
  options: { readonly address: Address; readonly fees: FeeSource; readonly fewest: number },
): () => Promise<Health> {
  let kept: { readonly health: Promise<Health>; readonly until: number } | null = null
  const look = async (): Promise<Health> => {
    try {
      const [balance, fees] = await Promise.all([
        chain.rpc.call<string>('eth_getBalance', [options.address, 'latest']),
        options.fees.current(),
      ])
      const settlements = BigInt(balance) / (SETTLEMENT_GAS * fees.maxFeePerGas)
      const isHealthy = settlements >= BigInt(options.fewest)
      const detail = `gas for ${settlements} settlements at the highest fee, at least ${options.fewest} wanted`
      return { isHealthy, detail }
    } catch (error) {
      const isDear = error instanceof FeeBoundReached
      return { isHealthy: false, detail: isDear ? error.message : 'the chain RPC gives no answer' }
    }
  }
  return () => {
    const now = performance.now()
    if (!kept || kept.until < now) kept = { health: look(), until: now + KEPT_MS }
    return kept.health
  }
}
