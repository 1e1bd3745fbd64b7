import { readGenesisHash } from '../../chain/blocks.ts'
import type { Hex } from '../../chain/hex.ts'
import { createReadRpc } from '../../chain/rpc/read-rpc.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Config } from '../../config.ts'
import type { LedgerReader } from '../../report/ledger/ledger.ts'
import type { State } from '../state/state.ts'
import { findReadChain, type ReadChainSetting } from './chain.ts'
import { ledgerUrlOf } from './open-reports.ts'
import type { Shutdown } from './shutdown.ts'
import { openStore } from './store.ts'

/** Dependencies of commands that export or import payments of the ledger. */
export type LedgerAccess<Opened> = {
  readonly setting: ReadChainSetting
  readonly rpc: Rpc
  readonly state: State
  /** Hash of the chain's genesis block. */
  readonly chain: Hex
  readonly ledger: Opened
}

/**
 * Opens the ledger of the configured chain.
 * @param open `openLedger`, or `openLedgerReader` for reading only
 */
export async function openLedgerAccess<Opened extends LedgerReader>(
  config: Config,
  open: (url: string, chain: Hex) => Promise<Opened>,
  shutdown: Shutdown,
): Promise<LedgerAccess<Opened>> {
  const setting = await findReadChain(config)
  const rpc = createReadRpc({ url: setting.access.rpcUrl })
  const chain = await readGenesisHash(rpc, shutdown.signal)
  const state = await openStore(config, shutdown)
  const ledger = await open(ledgerUrlOf(config), chain)
  shutdown.onClose(() => ledger.close())
  return { setting, rpc, state, chain, ledger }
}
