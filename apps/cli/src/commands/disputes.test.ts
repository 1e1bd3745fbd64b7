import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fileDispute } from '@tollbook/report/claims/disputes'
import { migrateState } from './migrations/migrate-state.ts'
import { openState } from './state/open.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const NOTE = {
  address: `0x${'5'.repeat(40)}`,
  week: '2026-11-15',
  contact: 'ann@shop.example',
  text: 'Two buyers are one.\nSee the second day.',
} as const

let folder: string
let url: string
const ids: string[] = []
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-disputes-'))
  url = `sqlite:${join(folder, 'state.sqlite')}`
  const state = await openState(url)
  await migrateState(state)
  for (const minute of [1, 2]) {
    const now = new Date(Date.UTC(2026, 10, 15, 12, minute))
    ids.push((await fileDispute(state, NOTE, { client: '203.0.113.7', now })).id)
  }
  await state.close()
})
after(() => rmSync(folder, { recursive: true, force: true }))

/** Exit code and all output of the command. */
function run(...words: string[]): Promise<readonly [code: number, out: string, err: string]> {
  const env = { ...process.env, TOLLBOOK_STATE_URL: url }
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, 'disputes', ...words], { env }, (error, out, err) => {
      // A busy machine may be slow to open the state, which is then reported.
      const complaints = err.replace(/^waiting for sqlite:.+\n/, '')
      resolve([typeof error?.code === 'number' ? error.code : 0, out, complaints])
    })
  })
}

test('the operator lists, reads and closes notes', async () => {
  const [first = '', second = ''] = ids
  const [, list] = await run()
  const rows = list.trim().split('\n')
  assert.deepEqual(
    rows.map((row) => row.slice(0, 26)),
    [`${second.slice(0, 8)}  2026-11-15T12:02`, `${first.slice(0, 8)}  2026-11-15T12:01`],
  )
  const [, page] = await run('show', first.slice(0, 8))
  for (const part of [first, NOTE.address, NOTE.week, NOTE.contact, NOTE.text])
    assert.ok(page.includes(part), part)
  assert.deepEqual(await run('close', first), [0, `closed ${first}\n`, ''])
  const [, all] = await run('list', '--all', '--json')
  const notes = JSON.parse(all) as { id: string; closedAt: string | null }[]
  assert.deepEqual(
    notes.map(({ id, closedAt }) => [id, closedAt === null]),
    [
      [second, true],
      [first, false],
    ],
  )
})

test('an invalid argument and a missing note are different errors', async () => {
  const [absent, , sentence] = await run('show', 'ffffffff-0000')
  assert.deepEqual(
    [absent, sentence],
    [1, 'no note has the id ffffffff-0000; list all with "tollbook disputes list --all"\n'],
  )
  const [wrong, , usage] = await run('drop')
  assert.equal(wrong, 2)
  assert.match(usage, /^unknown action: drop .*\nsee tollbook disputes --help\n$/)
})
