import { readGenesisHash } from '@tollbook/chain/blocks'
import type { Hex } from '@tollbook/chain/hex'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { findReadChain, type ReadChainSetting } from '@tollbook/runtime/chain/chain-setting'
import type { Config } from '@tollbook/runtime/config'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'
import type { LedgerReader } from '../ledger/ledger.ts'
import type { State } from '../state/state.ts'
import { ledgerUrlOf } from './open-reports.ts'
import { requireReports } from './report-network.ts'

/** Dependencies of commands that export or import payments of the ledger. */
export type LedgerAccess<Opened> = {
  readonly setting: ReadChainSetting
  readonly rpc: Rpc
  readonly state: State
  /** Hash of the chain's genesis block. */
  readonly chain: Hex
  readonly ledger: Opened
}

/** Opens the state with the tables of all parts that share it; it is closed with all other resources. */
export type OpenState = (config: Config, shutdown: Shutdown) => Promise<State>

type Openers<Opened> = {
  readonly openState: OpenState
  /** `openLedger`, or `openLedgerReader` for reading only. */
  readonly open: (url: string, chain: Hex) => Promise<Opened>
}

/** Opens the ledger of the configured chain. */
export async function openLedgerAccess<Opened extends LedgerReader>(
  config: Config,
  { openState, open }: Openers<Opened>,
  shutdown: Shutdown,
): Promise<LedgerAccess<Opened>> {
  requireReports(config)
  const setting = await findReadChain(config)
  const rpc = createReadRpc({ url: setting.access.rpcUrl })
  const chain = await readGenesisHash(rpc, shutdown.signal)
  const state = await openState(config, shutdown)
  const ledger = await open(ledgerUrlOf(config), chain)
  shutdown.onClose(() => ledger.close())
  return { setting, rpc, state, chain, ledger }
}
