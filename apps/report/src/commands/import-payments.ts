import { rm } from 'node:fs/promises'
import { readBlock } from '@tollbook/chain/blocks'
import { PermanentError } from '@tollbook/flow/failure'
import { createProgress } from '@tollbook/flow/progress'
import type { Config } from '@tollbook/runtime/config'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'
import { openLedger } from '../ledger/ledger.ts'
import { importPayments } from '../ledger/payment-files/import-payments.ts'
import { type Manifest, readManifest } from '../ledger/payment-files/manifest.ts'
import { convertToCsv, isParquet } from '../ledger/payment-files/parquet.ts'
import { repairPayments } from '../ledger/upkeep/repair-payments.ts'
import type { OpenState } from '../open/open-ledger.ts'
import { type LedgerAccess, openLedgerAccess } from '../open/open-ledger.ts'

type Running = { readonly config: Config; readonly shutdown: Shutdown; readonly openState: OpenState }

/** `tollbook import payments`: imports exported payments into the ledger. */
export async function importPaymentFile(
  file: string,
  { config, shutdown, openState }: Running,
): Promise<void> {
  const { signal } = shutdown
  const { phase } = createProgress()
  const manifest = await phase('check of the file', () => readManifest(file))
  const access = await openLedgerAccess(config, { openState, open: openLedger }, shutdown)
  await checkChain(manifest, access, signal)
  const lost = await repairPayments({ ...access, now: new Date() }, signal)
  if (lost !== null)
    process.stderr.write(
      `the ledger lacks blocks ${lost.firstBlock} to ${lost.endBlock - 1}, which were read before\n`,
    )
  const isCsv = !(await isParquet(file))
  const csv = isCsv ? file : `${file}.csv.part`
  try {
    if (!isCsv) {
      await rm(csv, { force: true })
      await phase('Parquet', () => convertToCsv({ from: file, to: csv }, signal))
    }
    const { imported, alreadyThere } = await phase('import', ({ at }) =>
      importPayments(
        {
          ...access,
          csv,
          manifest,
          now: () => new Date(),
          onProgress: (done, total) => at(done, total, 'payments'),
        },
        signal,
      ),
    )
    process.stdout.write(`${imported} payments imported, ${alreadyThere} already existed\n`)
  } finally {
    if (!isCsv) await rm(csv, { force: true })
  }
}

/** Payments of a block that is not on this chain belong to another chain. */
async function checkChain(
  manifest: Manifest,
  { rpc, chain }: Pick<LedgerAccess<never>, 'rpc' | 'chain'>,
  signal: AbortSignal,
): Promise<void> {
  // The import itself reports a different genesis block.
  if (manifest.chain !== chain) return
  const last = manifest.end_block - 1
  const block = await readBlock(rpc, last, signal)
  if (block?.hash !== manifest.last_block_hash) {
    const found = block ? `has ${block.hash}` : 'has no such block'
    throw new PermanentError(
      `the file ends with block ${last} of hash ${manifest.last_block_hash}; the chain ${found}`,
    )
  }
}
