import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../config.ts'
import { readSecret } from './read-secret.ts'

const NAME = 'TOLLBOOK_SQD_TOKEN'

test('a token comes from its setting or from a file, and no error repeats it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-secret-'))
  const file = join(folder, 'token')
  try {
    const read = (settings: NodeJS.ProcessEnv) => readSecret(loadConfig(settings), NAME)
    assert.equal(read({}), undefined)
    assert.equal(read({ [NAME]: 'to.ken' }), 'to.ken')
    writeFileSync(file, 'from.file\n')
    const ofFile = { [`${NAME}_FILE`]: file }
    assert.equal(read(ofFile), 'from.file')
    assert.throws(() => read({ ...ofFile, [NAME]: 'to.ken' }), /TOLLBOOK_SQD_TOKEN: must not be set together/)
    writeFileSync(file, 'two words')
    assert.throws(
      () => read(ofFile),
      (error: Error) => /one word of ASCII/.test(error.message) && !/two/.test(error.message),
    )
    rmSync(file)
    assert.throws(() => read(ofFile), /cannot be read \(ENOENT\)/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
