import { existsSync } from 'node:fs'
import { cp, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PRODUCT } from '@tollbook/endpoints/documents/product-version'
import { PermanentError } from '@tollbook/flow/failure'
import { makeFolder } from '@tollbook/flow/make-folder'
import { createProgress } from '@tollbook/flow/progress'
import { UsageError } from '@tollbook/flow/usage-error'
import type { Config } from '@tollbook/runtime/config'
import { stateUrlOf } from '@tollbook/runtime/places/state-url'
import { runOnce } from '@tollbook/runtime/process/shutdown'
import { copySqliteState } from '@tollbook/store/sqlite/copy-state'
import { findApp } from './apps.ts'
import type { Command } from './command.ts'

/** Next to the state: large answers, the payments of published weeks, and the local chain. */
export const EXTRA_FILES = ['answers', 'evidence', 'dev-chain.json.gz'] as const

export const backup: Command = {
  name: 'backup',
  usage: '<folder>',
  examples: ['backup ./backup'],
  notes: [
    'The folder must be new or empty; tollbook restore checks it and brings it back. The ledger is not included: it is',
    'read from the chain again. With PostgreSQL, use its own backup tools.',
  ],
  options: {},
  async run({ positionals }) {
    const [folder, ...surplus] = positionals
    if (!folder || surplus.length > 0) throw new UsageError('backup needs exactly one folder')
    return runOnce((config) => copyEverything(config, folder))
  },
}

async function copyEverything(config: Config, folder: string): Promise<void> {
  const url = stateUrlOf(config)
  if (!url.startsWith('sqlite:')) {
    throw new PermanentError(
      "the state is on PostgreSQL: back it up with pg_dump or with your server's own backups",
    )
  }
  const from = url.slice('sqlite:'.length)
  if (!existsSync(from)) throw new PermanentError(`no state exists at ${from} yet`)
  makeFolder(folder)
  if ((await readdir(folder)).length > 0) throw new UsageError(`${folder} is not empty`)
  const { phase } = createProgress()
  const takenAt = new Date()
  await phase('state', ({ at }) =>
    copySqliteState({ from, to: join(folder, 'state.sqlite') }, (done, total) => at(done, total, 'bytes')),
  )
  // After the state, so that all files referenced by rows of the copy exist.
  const extra = EXTRA_FILES.filter((name) => existsSync(join(config.TOLLBOOK_DATA_DIR, name)))
  for (const name of extra) {
    await phase(name, () =>
      cp(join(config.TOLLBOOK_DATA_DIR, name), join(folder, name), {
        recursive: true,
        preserveTimestamps: true,
      }),
    )
  }
  const where = (await (await findApp('report'))?.nameLedger(config)) ?? null
  const note = describe({ where, takenAt, copied: ['state.sqlite', ...extra] })
  await writeFile(join(folder, 'backup.json'), `${JSON.stringify(note, null, 2)}\n`, { flush: true })
  process.stdout.write(`${note.copied.join(', ')} in ${folder}\n${note.ledger}\n`)
}

type Copy = {
  /** Where the ledger is; null if no installed app has one. */
  readonly where: string | null
  readonly takenAt: Date
  readonly copied: readonly string[]
}

function describe({ where, takenAt, copied }: Copy) {
  return {
    format: 'tollbook-backup',
    version: 1,
    tollbook: PRODUCT.version,
    taken_at: takenAt.toISOString(),
    copied,
    ledger:
      where === null
        ? 'none: @tollbook/report is not installed'
        : `not copied: the payments read from the chain (${where}). Lost payments are read again from the ` +
          'chain, or imported from a file of tollbook export payments',
    restore: 'stop every process, move the data folder away, and run tollbook restore with this folder',
  }
}
