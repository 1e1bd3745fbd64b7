import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadConfig } from '../config.ts'
import { keepFilesPrivate } from './private-files.ts'

const root = mkdtempSync(join(tmpdir(), 'tollbook-private-'))
const umask = process.umask(0o022)
after(() => {
  process.umask(umask)
  rmSync(root, { recursive: true, force: true })
})
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('a data folder that others can read is restricted, with its contents', () => {
  const [folder, elsewhere] = [join(root, 'data'), join(root, 'elsewhere')]
  for (const path of [folder, join(folder, 'answers'), elsewhere]) {
    mkdirSync(path)
    chmodSync(path, 0o755)
  }
  const files = ['state.sqlite', 'state.sqlite-wal', 'tollbook.log'].map((name) => join(folder, name))
  const state = ['own.sqlite', 'own.sqlite-shm'].map((name) => join(elsewhere, name))
  for (const path of [...files, ...state]) writeFileSync(path, '')
  const TOLLBOOK_STATE_URL = `sqlite:${join(elsewhere, 'own.sqlite')}`
  keepFilesPrivate(loadConfig({ TOLLBOOK_DATA_DIR: folder, TOLLBOOK_STATE_URL }))
  for (const path of [folder, join(folder, 'answers')]) assert.equal(modeOf(path), '700', path)
  for (const path of [...files, ...state]) assert.equal(modeOf(path), '600', path)
  assert.equal(modeOf(elsewhere), '755', 'a folder of another user is unchanged')
})

test('files written from then on are private too', () => {
  const folder = join(root, 'new')
  keepFilesPrivate(loadConfig({ TOLLBOOK_DATA_DIR: folder }))
  mkdirSync(join(folder, 'inner'), { recursive: true })
  writeFileSync(join(folder, 'inner', 'file'), '')
  assert.deepEqual(
    [modeOf(folder), modeOf(join(folder, 'inner')), modeOf(join(folder, 'inner', 'file'))],
    ['700', '700', '600'],
  )
})
