import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { State } from '../../state/state.ts'
import { openArchive } from './open-reports.ts'

/** What a state refers to outside its database, and what is missing or damaged. */
export type StateCheck = {
  readonly calls: number
  readonly answerFiles: number
  readonly weeks: number
  /** One sentence each; empty if the state is whole. */
  readonly faults: readonly string[]
}

/**
 * Reads the pages of a SQLite file, stored answers, and each week's payments against their digest.
 * @param config whose data folder has the answers and, with SQLite, the payments of weeks
 */
export async function checkState(state: State, config: Config): Promise<StateCheck> {
  const damage = state.kind === 'sqlite' ? await findDamage(state) : []
  const answers = await state.db
    .selectFrom('paid_call')
    .select('answer_file')
    .where('answer_file', 'is not', null)
    .execute()
  const editions = await state.db
    .selectFrom('report_editions')
    .select(['edition', 'revision', 'evidence_file', 'evidence_sha256', 'evidence_bytes'])
    .where('evidence_file', 'is not', null)
    .execute()
  const { calls } = await state.db
    .selectFrom('paid_call')
    .select((row) => row.fn.countAll().as('calls'))
    .executeTakeFirstOrThrow()
  const lostAnswers = await Promise.all(
    answers.map(async ({ answer_file: file }) => {
      const found = await stat(join(config.TOLLBOOK_DATA_DIR, 'answers', `${file}`)).catch(() => null)
      return found
        ? []
        : [`the answer ${file} is missing: a retry of its call gets no answer, and is not charged`]
    }),
  )
  const lostWeeks: string[] = []
  for (const { edition, revision, ...evidence } of editions) {
    const fault = await findEvidenceFault(evidence, { state, config })
    if (fault !== null) lostWeeks.push(`the payments of week ${edition}, revision ${revision}: ${fault}`)
  }
  return {
    calls: Number(calls),
    answerFiles: answers.length,
    weeks: editions.length,
    faults: [...damage, ...lostAnswers.flat(), ...lostWeeks],
  }
}

async function findDamage({ db }: State): Promise<string[]> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check`.execute(db)
  return rows.map((row) => row.quick_check).filter((text) => text !== 'ok')
}

type Evidence = {
  readonly evidence_file: string | null
  readonly evidence_sha256: string | null
  readonly evidence_bytes: number | null
}

async function findEvidenceFault(
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
