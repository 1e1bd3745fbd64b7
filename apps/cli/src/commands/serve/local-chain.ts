import {
  type ChainSetting,
  devChainSetting,
  findChain,
  findUnusedKey,
  isDevChainUp,
  refuseIssues,
} from '@tollbook/runtime/chain/chain-setting'
import type { Config } from '@tollbook/runtime/config'
import { makeDataFolder } from '@tollbook/runtime/process/private-files'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'
import { findMissing } from '../command.ts'

type Options = {
  readonly config: Config
  /** Names of the services that are sold. */
  readonly sold: readonly string[]
  /** Other issues of the settings. */
  readonly issues: readonly string[]
  readonly shutdown: Shutdown
}

/**
 * The configured chain, or the local one of another process; without either, a local chain of this process.
 * @throws ConfigError as `findChain`; also without a chain if a setting of payments shows that one is expected
 */
export async function openChain({ config, sold, issues, shutdown }: Options): Promise<ChainSetting> {
  if (isPaidElsewhere(config, sold) || findMissing(['@tollbook/devchain']) || (await isDevChainUp(config)))
    return findChain(config, sold, issues)
  refuseIssues([...issues, ...findUnusedKey(config, sold)])
  makeDataFolder(config)
  const { startDevChain } = await import('@tollbook/devchain/dev-chain')
  const devChain = await startDevChain({
    network: config.TOLLBOOK_NETWORK,
    port: config.TOLLBOOK_DEVCHAIN_PORT,
    dataDir: config.TOLLBOOK_DATA_DIR,
    onGone: (reason) => shutdown.fail(new Error(`the dev chain exited: ${reason}`)),
  })
  shutdown.onClose(() => devChain.close())
  return devChainSetting(config, devChain.rpcUrl, sold)
}

/** Whether payments are set up for a chain, so that a local one would hide a missing URL; or share its port. */
function isPaidElsewhere(config: Config, sold: readonly string[]): boolean {
  const hasWallet = sold.some((name) => config.services.get(name)?.payTo !== undefined)
  const {
    TOLLBOOK_CHAIN_RPC_URL: rpcUrls,
    TOLLBOOK_FACILITATOR_URL: url,
    TOLLBOOK_PROCESSES: processes,
  } = config
  return rpcUrls !== undefined || url !== undefined || hasWallet || processes > 1
}
