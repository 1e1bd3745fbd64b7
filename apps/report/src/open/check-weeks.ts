import { createHash } from 'node:crypto'
import type { Config } from '@tollbook/runtime/config'
import type { State } from '../state/state.ts'
import { openArchive } from './open-reports.ts'

export type WeeksCheck = {
  /** How many published weeks have payments to check, each revision counted. */
  readonly weeks: number
  /** What is missing or damaged, one sentence each. */
  readonly issues: readonly string[]
}

/**
 * Reads the payments of each published week against the digest in its edition.
 * @param config whose data folder has the payments with SQLite
 */
export async function checkWeeks(state: State, config: Config): Promise<WeeksCheck> {
  const editions = await state.db
    .selectFrom('report_editions')
    .select(['edition', 'revision', 'evidence_file', 'evidence_sha256', 'evidence_bytes'])
    .where('evidence_file', 'is not', null)
    .execute()
  const issues: string[] = []
  for (const { edition, revision, ...evidence } of editions) {
    const issue = await findEvidenceIssue(evidence, { state, config })
    if (issue !== null) issues.push(`the payments of week ${edition}, revision ${revision}: ${issue}`)
  }
  return { weeks: editions.length, issues }
}

type Evidence = {
  readonly evidence_file: string | null
  readonly evidence_sha256: string | null
  readonly evidence_bytes: number | null
}

async function findEvidenceIssue(
  { evidence_file: file, evidence_sha256: sha256, evidence_bytes: bytes }: Evidence,
  { state, config }: { readonly state: State; readonly config: Config },
): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    const range = { at: 0, bytes: bytes ?? 0 }
    for await (const piece of openArchive(config, state).read(`${file}`, range)) hash.update(piece)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return hash.digest('hex') === sha256 ? null : `${file} differs from the digest in its edition`
}
