import { readdir, readFile, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@tollbook/flow/make-folder'
import { syncPath } from '@tollbook/store/sync-path'
import type { State } from '../state/state.ts'
import type { AnswerRow, Lease, StoredAnswer } from './reservation.ts'

/** Larger answers are files: SQLite rewrites a whole row with each of its transitions. */
const MAX_INLINE_BYTES = 1024 * 1024
/** A file without a row may belong to a delivery in progress, but not for this long. */
const STRAY_FILE_MS = 60 * 60_000

/** Stores the bytes of answers: in their row, or as files below the data folder. */
export interface AnswerStore {
  /** The columns of a run's answer. A large body is on disk when this resolves, a small one with its row. */
  store(lease: Pick<Lease, 'id' | 'token'>, answer: StoredAnswer): Promise<AnswerRow>
  load(id: string): Promise<StoredAnswer | null>
  drop(file: string | null): Promise<void>
  /** Deletes files that no row refers to any more. */
  sweep(now: Date): Promise<void>
}

export function createAnswerStore(options: { readonly state: State; readonly dataDir: string }): AnswerStore {
  const { state } = options
  const folder = join(options.dataDir, 'answers')
  // Replicas on one PostgreSQL do not share a disk, and PostgreSQL does not rewrite large values with their row.
  const maxInlineBytes = state.kind === 'postgres' ? Number.POSITIVE_INFINITY : MAX_INLINE_BYTES

  async function writeDurably(file: string, body: Uint8Array): Promise<void> {
    makeFolder(folder)
    await writeFile(join(folder, file), body, { mode: 0o600, flush: true })
    await syncPath(folder)
  }

  async function drop(file: string | null): Promise<void> {
    if (file !== null) await unlink(join(folder, file)).catch(ignoreAbsent)
  }

  return {
    drop,
    store: async ({ id, token }, answer) => {
      if (answer.body.byteLength <= maxInlineBytes) return { ...answer, file: null }
      const file = `${id}.${token.replaceAll('/', '-')}.answer`
      await writeDurably(file, answer.body)
      return { ...answer, body: null, file }
    },
    load: async (id) => {
      const row = await state.db
        .selectFrom('paid_call')
        .select(['answer_status', 'answer_headers', 'answer_file', 'answer_body'])
        .where('id', '=', id)
        .executeTakeFirst()
      if (!row || row.answer_status === null) return null
      const body =
        row.answer_body ??
        (row.answer_file === null ? null : await readFile(join(folder, row.answer_file)).catch(ignoreAbsent))
      if (!body) return null
      return { status: row.answer_status, headers: JSON.parse(row.answer_headers ?? '{}'), body }
    },
    sweep: async (now) => {
      for (const file of (await readdir(folder).catch(ignoreAbsent)) ?? []) {
        const { mtimeMs } = await stat(join(folder, file))
        if (now.getTime() - mtimeMs < STRAY_FILE_MS) continue
        const named = await state.db
          .selectFrom('paid_call')
          .select('id')
          .where('id', '=', file.split('.')[0] ?? '')
          .where('answer_file', '=', file)
          .executeTakeFirst()
        if (!named) await drop(file)
      }
    },
  }
}

function ignoreAbsent(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
  throw error
}
