import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PermanentError } from '@tollbook/flow/failure'
import { makeFolder } from '@tollbook/flow/make-folder'
import { createProgress } from '@tollbook/flow/progress'
import { UsageError } from '@tollbook/flow/usage-error'
import type { Config } from '@tollbook/runtime/config'
import { stateUrlOf } from '@tollbook/runtime/places/state-url'
import { runOnce } from '@tollbook/runtime/process/shutdown'
import { withStateUrl } from '@tollbook/runtime/state/store'
import { copySqliteState } from '@tollbook/store/sqlite/copy-state'
import { sql } from 'kysely'
import { findApp } from './apps.ts'
import { EXTRA_FILES } from './backup.ts'
import type { Command } from './command.ts'
import { findMissingMigrations, migrateState } from './migrations/migrate-state.ts'
import { openState } from './state/open.ts'
import type { State } from './state/state.ts'

/** SQLITE_CORRUPT and SQLITE_NOTADB of https://sqlite.org/rescode.html */
const SQLITE_DAMAGED = [11, 26]

export const restore: Command = {
  name: 'restore',
  usage: '[<folder>] [--check]',
  examples: ['restore ./backup --check', 'restore ./backup', 'restore --check'],
  notes: [
    'A backup is checked on a copy: the database, its migrations, stored answers, and the payments of each published',
    'week against their digest. Without a folder, --check reads the state in use, on SQLite or PostgreSQL.',
  ],
  options: { check: { type: 'boolean', help: 'only check; changes nothing' } },
  exitCodes: { 1: 'something is missing or damaged' },
  async run({ values, positionals }) {
    const [folder, ...surplus] = positionals
    if (surplus.length > 0) throw new UsageError('restore needs one folder')
    if (folder === undefined && values.check !== true)
      throw new UsageError('name the folder of a backup, or add --check')
    if (folder !== undefined && !existsSync(join(folder, 'backup.json')))
      throw new UsageError(`${folder} is no complete backup: it has no backup.json`)
    let isWhole = false
    const code = await runOnce(async (config) => {
      if (folder === undefined) {
        isWhole = await checkInUse(config).catch(printDamage)
        return
      }
      const target = values.check === true ? null : findTarget(config)
      isWhole = await checkBackup(folder, config).catch(printDamage)
      if (isWhole && target !== null) await copyBack(folder, target, config)
    })
    return code === 0 && !isWhole ? 1 : code
  },
}

async function checkInUse(config: Config): Promise<boolean> {
  const url = stateUrlOf(config)
  if (url.startsWith('sqlite:') && !existsSync(url.slice('sqlite:'.length)))
    throw new PermanentError(`no state exists at ${url.slice('sqlite:'.length)}`)
  const check = async (state: State) => {
    const missing = await findMissingMigrations(state)
    if (missing.length > 0)
      throw new PermanentError(
        `the state lacks ${missing.join(', ')}: run tollbook migrate, then check again`,
      )
    return print(await checkState(state, config))
  }
  return withStateUrl(config, () => withState(url, check))
}

/** Copies the state of a backup, since a check migrates it. */
async function checkBackup(folder: string, config: Config): Promise<boolean> {
  const work = await mkdtemp(join(tmpdir(), 'tollbook-restore-'))
  const { phase } = createProgress()
  try {
    const to = join(work, 'state.sqlite')
    await phase('state', ({ at }) =>
      copySqliteState({ from: join(folder, 'state.sqlite'), to }, (done, total) => at(done, total, 'bytes')),
    )
    return await withState(`sqlite:${to}`, async (state) => {
      await migrateState(state)
      return print(await phase('files', () => checkState(state, { ...config, TOLLBOOK_DATA_DIR: folder })))
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function withState<T>(url: string, work: (state: State) => Promise<T>): Promise<T> {
  const state = await openState(url)
  try {
    return await work(state)
  } finally {
    await state.close()
  }
}

/** @returns whether there is no issue */
function print({ calls, answerFiles, weeks, issues }: StateCheck): boolean {
  for (const issue of issues) process.stdout.write(`issue  ${issue}\n`)
  const published = weeks ?? 'not checked, @tollbook/report is not installed'
  process.stdout.write(
    `paid calls: ${calls}, answers in files: ${answerFiles}, published weeks: ${published}\n`,
  )
  process.stdout.write(issues.length === 0 ? 'nothing is missing or damaged\n' : `issues: ${issues.length}\n`)
  return issues.length === 0
}

/** A file that SQLite cannot read is an issue that the check found. @throws any other error */
function printDamage(error: unknown): false {
  const { errcode } = error as { readonly errcode?: unknown }
  if (!(error instanceof Error) || !SQLITE_DAMAGED.includes(Number(errcode) & 0xff)) throw error
  process.stdout.write(`issue  state.sqlite: ${error.message}\nissues: 1\n`)
  return false
}

/** The path of the state to restore. @throws PermanentError if it is on PostgreSQL, or something is there already */
function findTarget(config: Config): string {
  const url = stateUrlOf(config)
  if (!url.startsWith('sqlite:'))
    throw new PermanentError("the state is on PostgreSQL: restore it with your server's own tools")
  const to = url.slice('sqlite:'.length)
  const files = EXTRA_FILES.map((name) => join(config.TOLLBOOK_DATA_DIR, name))
  const taken = [to, ...files].find((path) => existsSync(path))
  if (taken !== undefined)
    throw new PermanentError(`${taken} exists: stop every process and move the data folder away first`)
  return to
}

async function copyBack(folder: string, to: string, { TOLLBOOK_DATA_DIR: data }: Config): Promise<void> {
  makeFolder(data, 0o700)
  for (const name of EXTRA_FILES.filter((each) => existsSync(join(folder, each))))
    await cp(join(folder, name), join(data, name), { recursive: true, preserveTimestamps: true })
  // Last, so that a state that exists is complete.
  await copySqliteState({ from: join(folder, 'state.sqlite'), to }, () => {})
  process.stdout.write(`restored into ${data}; start the processes again\n`)
}

/** What a state refers to outside its database, and what is missing or damaged. */
type StateCheck = {
  readonly calls: number
  readonly answerFiles: number
  /** Null if the app of the reports is not installed. */
  readonly weeks: number | null
  /** One sentence each; empty if the state is whole. */
  readonly issues: readonly string[]
}

/**
 * Reads the pages of a SQLite file, stored answers, and each week's payments against their digest.
 * @param config whose data folder has the answers and, with SQLite, the payments of weeks
 */
async function checkState(state: State, config: Config): Promise<StateCheck> {
  const damage = state.kind === 'sqlite' ? await findDamage(state) : []
  const answers = await state.db
    .selectFrom('paid_call')
    .select('answer_file')
    .where('answer_file', 'is not', null)
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
  const weeks = (await (await findApp('report'))?.checkWeeks(state, config)) ?? null
  return {
    calls: Number(calls),
    answerFiles: answers.length,
    weeks: weeks?.weeks ?? null,
    issues: [...damage, ...lostAnswers.flat(), ...(weeks?.issues ?? [])],
  }
}

async function findDamage({ db }: State): Promise<string[]> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check`.execute(db)
  return rows.map((row) => row.quick_check).filter((text) => text !== 'ok')
}
