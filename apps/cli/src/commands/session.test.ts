import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createSessionKeys } from '@tollbook/social/session/session-keys'
import { createSessions } from '@tollbook/social/session/sessions'
import { saveBundle } from '@tollbook/social/source/store/save-bundle'
import { migrateState } from './migrations/migrate-state.ts'
import { openState } from './state/open.ts'
import type { State } from './state/state.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const KEY = '5e'.repeat(32)

let folder: string
let url: string
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-session-'))
  url = `sqlite:${join(folder, 'state.sqlite')}`
  await withState(async (state) => {
    await migrateState(state)
    await saveBundle(state, { users: [{ id: '11', name: 'Ann', username: 'Ann_B' }] }, new Date())
  })
})
after(() => rmSync(folder, { recursive: true, force: true }))

async function withState<Result>(work: (state: State) => Promise<Result>): Promise<Result> {
  const state = await openState(url)
  try {
    return await work(state)
  } finally {
    await state.close()
  }
}

/** Exit code and all output of the command. */
function run(...words: string[]): Promise<readonly [code: number, out: string, err: string]> {
  const env = { ...process.env, TOLLBOOK_STATE_URL: url, TOLLBOOK_SESSION_KEY: KEY }
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, 'session', ...words], { env }, (error, out, err) => {
      resolve([typeof error?.code === 'number' ? error.code : 0, out, err])
    })
  })
}

/** The user for which the service accepts a token, with that key. */
function whoIs(token: string, ct0: string) {
  const keys = createSessionKeys(Buffer.from(KEY, 'hex'))
  return withState(async (state) => {
    const sessions = createSessions({ state, keys, oauth: null })
    if (!sessions.isCt0Of(token, ct0)) return null
    const { signal } = new AbortController()
    return (await sessions.find(token, { now: new Date(), signal })).userId
  })
}

test('the operator creates a session of a stored user, and ends it', async () => {
  const [code, out] = await run('@ann_b')
  assert.equal(code, 0)
  const [, token = '', ct0 = ''] = /^auth_token ([0-9a-f]{40})\nct0 {8}([0-9a-f]{64})$/m.exec(out) ?? []
  assert.match(out, /^user {7}Ann_B \(11\)$/m)
  assert.equal(await whoIs(token, ct0), '11')
  const [, json] = await run('ann_b', '--json')
  const second = JSON.parse(json) as { auth_token: string; ct0: string }
  assert.equal(await whoIs(second.auth_token, second.ct0), '11')
  assert.deepEqual(await run('ann_b', '--revoke'), [0, '2 sessions of Ann_B ended\n', ''])
  await assert.rejects(whoIs(token, ct0), /ask the operator for a new one/)
})

test('a session of an unknown user is rejected, and the help explains the command', async () => {
  assert.deepEqual(await run('nobody'), [1, '', 'no user named nobody is stored\n'])
  const [code, , err] = await run()
  assert.equal(code, 2)
  assert.equal(err, 'session needs exactly one username\nsee tollbook session --help\n')
  const [, help] = await run('--help')
  assert.match(help, /--revoke/)
})
