import type { HeadTag } from '@tollbook/chain/blocks'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import type { Logger } from 'pino'
import { readWindowEvidence } from '../build/read-window-evidence.ts'
import type { Method } from '../build/visible-payments.ts'
import type { Facilitators } from '../chain/facilitator-file.ts'
import { describeBasis } from '../editions/basis.ts'
import type { Composing } from '../editions/compose-edition.ts'
import type { EvidenceArchive } from '../evidence/evidence-archive.ts'
import { type PackedEvidence, packEvidence } from '../evidence/pack-evidence.ts'
import type { ComputedFigures, ComputeOptions } from '../run/compute-figures.ts'

export type PublishOptions = ComputeOptions & {
  readonly rpc: Rpc
  /** The block up to which windows count as complete. */
  readonly finalHead: HeadTag
  readonly facilitators: Facilitators
  readonly archive: EvidenceArchive
  /** Public address of the report service, without a trailing slash. */
  readonly baseUrl: string
  readonly logger: Logger
}

/** What an edition is composed with, as of now. @param method of its figures */
export function toComposing(
  { chain, facilitators, labels, baseUrl, now }: PublishOptions,
  method: Method,
): Pick<Composing, 'basis' | 'baseUrl' | 'now'> {
  const { version: list, addresses } = facilitators
  const basis = describeBasis({
    genesis: chain,
    method,
    facilitators: { list, addresses },
    labels: labels ? { version: labels.version, sha256: labels.sha256 } : null,
  })
  return { basis, baseUrl, now: now() }
}

/** Writes the payments behind the figures of a week into a file. @throws as `packEvidence` */
export function packPayments(
  { ledger, archive }: PublishOptions,
  { edition: label, payments, merchants: figures }: ComputedFigures,
  signal: AbortSignal,
): Promise<PackedEvidence> {
  return packEvidence({ archive, label, payments: readWindowEvidence(ledger, payments, signal), figures })
}
