import { readGenesisHash } from '../../chain/blocks.ts'
import type { Hex } from '../../chain/hex.ts'
import { createReadRpc } from '../../chain/rpc/read-rpc.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Config } from '../../config.ts'
import { type Ledger, openLedger } from '../../report/ledger/ledger.ts'
import type { State } from '../../state/state.ts'
import { findReadChain, type ReadChainSetting } from './chain.ts'
import { ledgerUrlOf } from './open-reports.ts'
import type { Shutdown } from './shutdown.ts'
import { openStore } from './store.ts'

/** Dependencies of commands that export or import payments of the ledger. */
export type LedgerAccess = {
  readonly setting: ReadChainSetting
  readonly rpc: Rpc
  readonly state: State
  /** Hash of the chain's genesis block. */
  readonly chain: Hex
  readonly ledger: Ledger
  /** The folder of chDB; undefined for ClickHouse servers. */
  readonly chdbFolder: string | undefined
}

/** Opens the ledger of the configured chain; chDB exclusively, servers with other clients. */
export async function openLedgerAccess(config: Config, shutdown: Shutdown): Promise<LedgerAccess> {
  const setting = await findReadChain(config)
  const rpc = createReadRpc({ url: setting.access.rpcUrl })
  const chain = await readGenesisHash(rpc, shutdown.signal)
  const state = await openStore(config, shutdown)
  const url = ledgerUrlOf(config)
  const ledger = await openLedger(url, chain)
  shutdown.onClose(() => ledger.close())
  const chdbFolder = url.startsWith('chdb:') ? url.slice('chdb:'.length) : undefined
  return { setting, rpc, state, chain, ledger, chdbFolder }
}
