import { readGenesisHash } from '@tollbook/chain/blocks'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import type { ReadChainSetting } from '@tollbook/runtime/chain/chain-setting'
import type { Config } from '@tollbook/runtime/config'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'
import type { Evidence } from '../evidence/evidence.ts'
import { createRemoteEvidence } from '../evidence/remote-evidence.ts'
import { openLedger } from '../ledger/ledger.ts'
import { folderOf } from '../ledger/ledger-url.ts'
import { createLedgerEvidence } from '../pipeline.ts'
import type { State } from '../state/state.ts'

/** Payments from the configured indexer, else from ClickHouse servers, else from this machine's indexer. */
export async function openEvidence(
  {
    config,
    chain,
    state,
  }: { readonly config: Config; readonly chain: ReadChainSetting; readonly state: State },
  shutdown: Shutdown,
): Promise<{ readonly evidence: Evidence; readonly from: string }> {
  const ledgerUrl = config.TOLLBOOK_LEDGER_URL
  if (config.TOLLBOOK_INDEXER_URL || !ledgerUrl || folderOf(ledgerUrl) !== null) {
    const url = config.TOLLBOOK_INDEXER_URL ?? `http://127.0.0.1:${config.TOLLBOOK_INDEXER_PORT}`
    return { evidence: createRemoteEvidence(url), from: url }
  }
  const genesis = await readGenesisHash(createReadRpc({ url: chain.access.rpcUrl }), shutdown.signal)
  const ledger = await openLedger(ledgerUrl, genesis)
  shutdown.onClose(() => ledger.close())
  return {
    evidence: createLedgerEvidence({ state, chain: genesis, ledger }),
    from: new URL(ledgerUrl).origin,
  }
}
