import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStateAt, type TestState } from './open-state-at.ts'

let template: Promise<string> | undefined

/** A state of its own with all tables and no rows, on SQLite; its file is deleted at the close. */
export async function openTestState(): Promise<TestState> {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-state-'))
  const file = join(folder, `${randomUUID()}.sqlite`)
  // Copying the tables takes a tenth of making them, and does not wait for the disk.
  template ??= findTemplate()
  copyFileSync(await template, file)
  const state = await openStateAt(`sqlite:${file}`)
  return {
    ...state,
    async close() {
      await state.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The file of the whole run, or else one of this process. */
async function findTemplate(): Promise<string> {
  const made = process.env.TOLLBOOK_TEST_SQLITE_TEMPLATE
  if (made) return made
  const { file, folder } = await makeStateTemplate()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return file
}

/** Makes the file that test states are copies of. */
export async function makeStateTemplate(): Promise<{ readonly file: string; readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-state-template-'))
  const file = join(folder, 'template.sqlite')
  const state = await openStateAt(`sqlite:${file}`)
  await state.close()
  return { file, folder }
}
