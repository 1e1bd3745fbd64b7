import type { RunningFacilitator } from '@tollbook/gate/facilitator'
import { createRemoteFacilitator } from '@tollbook/gate/remote/remote-facilitator'
import type { State } from '@tollbook/gate/state/state'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { ChainSetting } from '../chain/chain-setting.ts'
import type { Config } from '../config.ts'
import { throwAbsence } from '../process/package-missing.ts'

type OpenFacilitatorOptions = {
  readonly config: Config
  readonly chain: ChainSetting
  readonly state: State
  readonly logger: Logger
  readonly nonceLeaseMs?: number
  /** Default: the configured one. */
  readonly facilitator?: RunningFacilitator
}

type OpenedFacilitator = {
  readonly facilitator: RunningFacilitator
  /** Metrics of the transactions that this process sends. */
  readonly registerMetrics: (registry: Registry) => void
}

/**
 * The facilitator of the paid services: at a URL, or with the wallets of this process, which alone needs
 * `@tollbook/facilitator`. @throws PackageMissing without it
 */
export async function openFacilitator(options: OpenFacilitatorOptions): Promise<OpenedFacilitator> {
  const { config, chain, state, logger, nonceLeaseMs } = options
  const url = config.TOLLBOOK_FACILITATOR_URL
  const facilitator =
    options.facilitator ??
    (url && (await createRemoteFacilitator({ url, network: chain.access.network.id, logger })))
  if (facilitator && !facilitator.waiting) return { facilitator, registerMetrics() {} }
  const { createTransactionMetrics } = await import(
    '@tollbook/facilitator/settlement/transaction-metrics'
  ).catch(throwAbsence)
  const transactions = createTransactionMetrics()
  const registerMetrics = (registry: Registry, { waiting }: RunningFacilitator) => {
    if (waiting) transactions.register(registry, waiting)
  }
  if (facilitator)
    return { facilitator, registerMetrics: (registry) => registerMetrics(registry, facilitator) }
  if (!chain.facilitatorKey) throw new Error('neither a facilitator URL nor a key is set')
  const { openWallets } = await import('./open-wallets.ts').catch(throwAbsence)
  const wallets = await openWallets({ config, chain, state, logger, nonceLeaseMs }, chain.facilitatorKey, {
    onMined: transactions.noteMined,
  })
  return { facilitator: wallets, registerMetrics: (registry) => registerMetrics(registry, wallets) }
}
