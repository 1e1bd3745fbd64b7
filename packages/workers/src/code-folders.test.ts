import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeRunFolder } from '@tollbook/testing/run-folder'
import { findCodeFolders, findPackageFolders } from './code-folders.ts'

const make = (...path: readonly string[]) => {
  const folder = join(...path)
  mkdirSync(folder, { recursive: true })
  return folder
}
/** Those that are there on this machine in any case. */
const below = (root: string, folders: readonly string[]) => folders.filter((path) => path.startsWith(root))

test('in a checkout, code is in the packages and apps that are linked, and in what npm installed', () => {
  const root = makeRunFolder('checkout')
  const installed = make(root, 'node_modules')
  make(installed, 'zod')
  const scope = make(installed, '@tollbook')
  const [own, others] = [make(root, 'packages/workers/src'), make(root, 'apps/utility')]
  make(root, 'data')
  symlinkSync('../../packages/workers', join(scope, 'workers'))
  symlinkSync('../../apps/utility', join(scope, 'utility'))
  // Of another version than that of the other packages.
  const nested = make(root, 'packages/workers/node_modules')
  assert.deepEqual(below(root, findPackageFolders(own)), [nested, installed])
  assert.deepEqual(
    below(root, findCodeFolders(own)).toSorted(),
    [nested, installed, others, join(root, 'packages/workers')].toSorted(),
  )
})

test('installed, code is in node_modules', () => {
  const root = makeRunFolder('installed')
  const own = make(root, 'node_modules/@tollbook/workers/dist')
  make(root, 'node_modules/@tollbook/utility')
  make(root, 'data')
  assert.deepEqual(below(root, findCodeFolders(own)), [join(root, 'node_modules')])
})
