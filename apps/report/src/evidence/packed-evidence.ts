import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Address, Hex } from '@tollbook/chain/hex'
import { parseUsd } from '@tollbook/chain/usdc'
import type { ScreenedPayment } from '../build/read-evidence.ts'
import type { Evidence } from './evidence.ts'
import type { EvidenceArchive, EvidencePart } from './evidence-archive.ts'
import type { EvidenceLine } from './evidence-stream.ts'

/** Reads the payments of published weeks from the archive, and all others from the ledger. */
export function withArchive(ledger: Evidence, archive: EvidenceArchive): Evidence {
  return {
    payments: (query, signal) =>
      query.kept ? readPackedEvidence(archive, query.kept) : ledger.payments(query, signal),
  }
}

/** Reads a merchant's payments from a stored file, in chain order, one chunk at a time. */
async function* readPackedEvidence(
  archive: EvidenceArchive,
  { file, ...range }: EvidencePart,
): AsyncGenerator<ScreenedPayment> {
  const packed = Readable.from(archive.read(file, range))
  const text = createGunzip().setEncoding('utf8')
  // An error of the source has to fail the loop, too; pipe alone would leave it waiting.
  packed.once('error', (error) => text.destroy(error))
  packed.pipe(text)
  let rest = ''
  try {
    for await (const piece of text as AsyncIterable<string>) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield parseLine(line)
    }
  } finally {
    packed.destroy()
    text.destroy()
  }
}

function parseLine(text: string): ScreenedPayment {
  // packEvidence writes this very type.
  const line = JSON.parse(text) as EvidenceLine
  return {
    blockNumber: line.block,
    logIndex: line.log_index,
    timestamp: Date.parse(line.time) / 1000,
    transaction: line.transaction as Hex,
    buyer: line.buyer as Address,
    amount: parseUsd(String(line.amount_usd)),
    ...(line.fee_usd !== undefined && { fee: parseUsd(String(line.fee_usd)) }),
    flag: line.flag,
  }
}
