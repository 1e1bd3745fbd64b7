import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '@tollbook/runtime/config'
import { checkFolder } from './folder.ts'

const check = (folder: string) => checkFolder(loadConfig({ TOLLBOOK_DATA_DIR: folder }))

test('the data folder need not exist, but it must be possible to create it', () => {
  assert.deepEqual(check(import.meta.dirname), [])
  assert.deepEqual(check(`${import.meta.dirname}/new/folder`), [])
  const text = `TOLLBOOK_DATA_DIR: ${import.meta.filename} is not a folder that this user can write to`
  for (const folder of [import.meta.filename, `${import.meta.filename}/new`])
    assert.deepEqual(check(folder), [{ verdict: 'failed', name: 'folder', text }])
})

test('a folder below a file system of the kernel cannot be created', () => {
  assert.equal(check('/proc/x')[0]?.verdict, 'failed')
})
