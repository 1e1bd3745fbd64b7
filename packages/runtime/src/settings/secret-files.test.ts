import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadConfig } from '../config.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollbook-secret-'))
const file = join(folder, 'secret')
after(() => rmSync(folder, { recursive: true }))

test('a key, a list of keys and a URL with a password come from files', () => {
  const key = `0x${'4f'.repeat(32)}` as const
  writeFileSync(file, `${key}\n`)
  const read = loadConfig({ TOLLBOOK_FACILITATOR_KEY_FILE: file, TOLLBOOK_FACILITATOR_MORE_KEYS_FILE: file })
  assert.equal(read.TOLLBOOK_FACILITATOR_KEY, key)
  assert.deepEqual(read.TOLLBOOK_FACILITATOR_MORE_KEYS, [key])
  writeFileSync(file, 'one-key-of-a-seller\r\nanother-key-of-a-seller\n')
  const keys = loadConfig({ TOLLBOOK_FACILITATOR_API_KEYS_FILE: file }).TOLLBOOK_FACILITATOR_API_KEYS
  assert.deepEqual(keys, ['one-key-of-a-seller', 'another-key-of-a-seller'])
  writeFileSync(file, 'postgres://tollbook:pass@db/tollbook')
  assert.equal(
    loadConfig({ TOLLBOOK_STATE_URL_FILE: file }).TOLLBOOK_STATE_URL,
    'postgres://tollbook:pass@db/tollbook',
  )
})

test('a secret file that cannot be used stops the start without its content', () => {
  const issuesOf = (settings: NodeJS.ProcessEnv): readonly string[] => {
    try {
      loadConfig(settings)
    } catch (error) {
      return (error as { issues: readonly string[] }).issues
    }
    return []
  }
  const token = { TOLLBOOK_SQD_TOKEN_FILE: file }
  writeFileSync(file, 'two words')
  assert.deepEqual(issuesOf(token), ['TOLLBOOK_SQD_TOKEN: must be one word of ASCII'])
  assert.deepEqual(issuesOf({ ...token, TOLLBOOK_SQD_TOKEN: 'to.ken' }), [
    'TOLLBOOK_SQD_TOKEN: must not be set together with TOLLBOOK_SQD_TOKEN_FILE',
  ])
  writeFileSync(file, ' \n')
  assert.deepEqual(issuesOf(token), ['TOLLBOOK_SQD_TOKEN_FILE: the file is empty'])
  rmSync(file)
  assert.deepEqual(issuesOf(token), ['TOLLBOOK_SQD_TOKEN_FILE: the file cannot be read (ENOENT)'])
  assert.deepEqual(issuesOf({ TOLLBOOK_LOG_LEVEL_FILE: file }), [
    'TOLLBOOK_LOG_LEVEL_FILE: no such setting; docs/settings.md lists all',
  ])
})
