import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeFolder } from './make-folder.ts'

test('a folder is created with those above it, and may exist already', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'tollbook-folder-'))
  t.after(() => rmSync(root, { recursive: true }))
  makeFolder(join(root, 'a/b'), 0o700)
  makeFolder(join(root, 'a/b'))
  assert.equal(statSync(join(root, 'a')).mode & 0o777, 0o700)
  writeFileSync(join(root, 'file'), '')
  assert.throws(() => makeFolder(join(root, 'file')), /file cannot be created: a file has this name/)
  assert.throws(() => makeFolder(join(root, 'file/x')), /cannot be created/)
})

test('a folder that the system refuses is an error, not an endless loop', () => {
  for (const folder of ['/proc/x', '/proc/x/y'])
    assert.throws(() => makeFolder(folder), /the folder \/proc\/x cannot be created \(ENOENT\)/, folder)
})
