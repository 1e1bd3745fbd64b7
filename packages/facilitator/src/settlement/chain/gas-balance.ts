import { formatEther } from '@tollbook/chain/ether'
import { type Address, parseUint } from '@tollbook/chain/hex'
import type { FacilitatorHealth } from '@tollbook/gate/facilitator'
import type { Chain } from '@tollbook/gate/reading/chain'
import { FeeBoundReached, type FeeSource } from './fees.ts'
import { toGasCost } from './gas-cost.ts'

/**
 * Gas of a single settlement, measured on FiatTokenV2_2 and Permit2 with a payee who holds USDC; in a batch
 * of 150 it is 46,200.
 */
const EXPECTED_GAS = { exact: 86_000n, upto: 100_000n } as const

/** Maximum gas of one settlement. */
const SETTLEMENT_GAS = 150_000n
/** A wallet whose gas pays for fewer is not healthy. */
const MIN_SETTLEMENTS = 20n
const CACHED_MS = 5_000
/** Missing ETH is rounded up to six decimals. */
const ETH_STEP = 10n ** 12n

/** Checks whether the wallet can pay for settlements; the result is cached for five seconds. */
export function createGasBalance(
  chain: Chain,
  options: {
    readonly address: Address
    readonly fees: FeeSource
    readonly ethUsd: number
  },
): () => Promise<FacilitatorHealth> {
  let cached: { readonly health: Promise<FacilitatorHealth>; readonly until: number } | null = null
  const look = async (): Promise<FacilitatorHealth> => {
    try {
      const [balance, fees, fee] = await Promise.all([
        chain.rpc.call('eth_getBalance', [options.address, 'latest']),
        options.fees.current(),
        options.fees.expected(),
      ])
      const held = parseUint(balance, 'balance')
      const perSettlement = SETTLEMENT_GAS * fees.maxFeePerGas
      const settlements = held / perSettlement
      const isHealthy = settlements >= MIN_SETTLEMENTS
      const has = `wallet ${options.address} has gas for ${settlements} settlements`
      const missing = formatEther(roundUp(MIN_SETTLEMENTS * perSettlement - held))
      const detail = isHealthy
        ? has
        : `${has}, ${MIN_SETTLEMENTS} are needed: send at least ${missing} ETH to it on ${chain.access.network.title}`
      const costOf = (gas: bigint) => toGasCost(gas, fee, options.ethUsd)
      const settlementCost = { exact: costOf(EXPECTED_GAS.exact), upto: costOf(EXPECTED_GAS.upto) }
      const gasLeft = [{ address: options.address, settlements }]
      return { isHealthy, detail, settlementCost, gasLeft }
    } catch (error) {
      const isDear = error instanceof FeeBoundReached
      return { isHealthy: false, detail: isDear ? error.message : 'the chain RPC does not answer' }
    }
  }
  return () => {
    const now = performance.now()
    if (!cached || cached.until < now) cached = { health: look(), until: now + CACHED_MS }
    return cached.health
  }
}

function roundUp(wei: bigint): bigint {
  return ((wei + ETH_STEP - 1n) / ETH_STEP) * ETH_STEP
}
