import {
  createInProcessFacilitator,
  type InProcessFacilitator,
} from '@tollbook/facilitator/settlement/in-process-facilitator'
import type { InProcessOptions } from '@tollbook/facilitator/settlement/options'
import type { State } from '@tollbook/gate/state/state'
import type { Logger } from 'pino'
import type { ReadChainSetting } from '../chain/chain-setting.ts'
import type { Config } from '../config.ts'

export type WalletsOptions = {
  readonly config: Config
  readonly state: State
  readonly logger: Logger
  readonly chain: ReadChainSetting
  readonly nonceLeaseMs: number | undefined
}

/** Dollars per ETH. Chosen: its price when the limits of gas were; an operator sets TOLLBOOK_ETH_USD to today's. */
const DEFAULT_ETH_USD = 3_300

/** The facilitator of this process, with the wallets of its settings. */
export function openWallets(
  options: WalletsOptions,
  key: `0x${string}`,
  overrides: Partial<InProcessOptions> = {},
): Promise<InProcessFacilitator> {
  const { config, chain, state, logger, nonceLeaseMs } = options
  return createInProcessFacilitator({
    chain: chain.access,
    key,
    moreKeys: config.TOLLBOOK_FACILITATOR_MORE_KEYS as `0x${string}`[],
    signerUrl: config.TOLLBOOK_SIGNER_URL,
    state,
    logger,
    // The dev chain's ETH has no value.
    ethUsd: config.TOLLBOOK_ETH_USD ?? (chain.isDev ? 0 : DEFAULT_ETH_USD),
    ...(nonceLeaseMs !== undefined && { leaseMs: nonceLeaseMs }),
    ...overrides,
  })
}
