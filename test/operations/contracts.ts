import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CONTRACT_NAMES, compileContracts, renderRuntimeCode } from '../../tools/contracts/compile.ts'
import { RUNTIME_CODE_FILE } from '../../tools/contracts/sources.ts'

test('the committed code of the dev contracts is what their sources compile to', () => {
  const compiled = compileContracts()
  assert.equal(readFileSync(RUNTIME_CODE_FILE, 'utf8'), renderRuntimeCode(compiled))
  for (const name of CONTRACT_NAMES) assert.equal(compiled[name].hasImmutables, false, name)
})
