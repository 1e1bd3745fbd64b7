import { readGenesisHash } from '../../chain/blocks.ts'
import { createReadRpc } from '../../chain/rpc/read-rpc.ts'
import type { Config } from '../../config.ts'
import { createRemoteEvidence } from '../../report/evidence/remote-evidence.ts'
import { openLedger } from '../../report/ledger/ledger.ts'
import { createLedgerEvidence } from '../../report/pipeline.ts'
import type { Evidence } from '../../report/publish/evidence/evidence.ts'
import type { State } from '../../state/state.ts'
import type { ReadChainSetting } from './chain.ts'
import type { Shutdown } from './shutdown.ts'

/**
 * The payments for a report service without its own ledger: from the configured indexer, else from the
 * configured ClickHouse servers, else from an indexer on this machine.
 */
export async function openEvidence(
  {
    config,
    chain,
    state,
  }: { readonly config: Config; readonly chain: ReadChainSetting; readonly state: State },
  shutdown: Shutdown,
): Promise<{ readonly evidence: Evidence; readonly from: string }> {
  const ledgerUrl = config.TOLLBOOK_LEDGER_URL
  if (config.TOLLBOOK_INDEXER_URL || !ledgerUrl || ledgerUrl.startsWith('chdb:')) {
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
