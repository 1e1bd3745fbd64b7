import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { openEvidenceFolder } from '@tollbook/report/evidence/evidence-folder'
import { runCommand, withoutSettings } from '@tollbook/testing/commands/running-command'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { migrateState } from './migrations/migrate-state.ts'
import { openState } from './state/open.ts'

const ANSWER = 'call.token.answer'
const folder = temporaryFolder('restore')
const data = join(folder, 'data')
const backup = join(folder, 'backup')
const run = (words: readonly string[], dataDir = data) =>
  runCommand(words, { ...withoutSettings(), TOLLBOOK_DATA_DIR: dataDir })
let evidence = ''

before(async () => {
  await mkdir(join(data, 'answers'), { recursive: true })
  await writeFile(join(data, 'answers', ANSWER), 'a large answer')
  const file = await openEvidenceFolder(join(data, 'evidence')).create('2026-11-15')
  await file.write(Buffer.from('one payment\n'))
  const retained = await file.keep()
  evidence = join(backup, 'evidence', retained.file)
  const state = await openState(`sqlite:${join(data, 'state.sqlite')}`)
  await migrateState(state)
  await state.db.insertInto('paid_call').values(callWith(ANSWER)).execute()
  await state.db
    .insertInto('report_editions')
    .values({
      ...EMPTY_EDITION,
      evidence_file: retained.file,
      evidence_sha256: retained.sha256,
      evidence_bytes: retained.bytes,
    })
    .execute()
  await state.close()
  const copied = await run(['backup', backup])
  assert.equal(copied.code, 0, copied.stderr)
})

test('a backup is checked, and restored into an empty data folder, where it is whole', async () => {
  const checked = await run(['restore', backup, '--check'])
  assert.deepEqual(
    [checked.code, checked.stdout],
    [0, 'paid calls: 1, answers in files: 1, published weeks: 1\nnothing is missing or damaged\n'],
    checked.stderr,
  )
  const other = join(folder, 'other')
  const restored = await run(['restore', backup], other)
  assert.equal(restored.code, 0, restored.stderr)
  assert.equal((await run(['restore', '--check'], other)).code, 0)
  assert.equal(await readFile(join(other, 'answers', ANSWER), 'utf8'), 'a large answer')
})

test('nothing is restored over a state that exists', async () => {
  const { code, stderr } = await run(['restore', backup])
  assert.equal(code, 70)
  assert.match(stderr, /state\.sqlite exists: stop every process and move the data folder away first/)
})

test('a missing answer and changed payments of a week are issues, and are not restored', async () => {
  await rm(join(backup, 'answers', ANSWER))
  await writeFile(evidence, 'two payment\n')
  const other = join(folder, 'damaged')
  const { code, stdout } = await run(['restore', backup], other)
  assert.equal(code, 1)
  assert.match(stdout, /^issue {2}the answer call\.token\.answer is missing/m)
  assert.match(
    stdout,
    /^issue {2}the payments of week 2026-11-15, revision 1: \S+ differs from the digest in its edition$/m,
  )
  assert.equal((await run(['restore', '--check'], other)).code, 70)
})

test('a database that SQLite cannot read is an issue', async () => {
  const file = join(backup, 'state.sqlite')
  const whole = await readFile(file)
  const pages = Buffer.from(whole).fill(0xff, 4096, 8192 * 8)
  for (const damaged of [pages, Buffer.from('no database'.repeat(1_000))]) {
    await writeFile(file, damaged)
    const { code, stdout, stderr } = await run(['restore', backup, '--check'])
    assert.equal(code, 1, stderr)
    assert.match(stdout, /^issue {2}state\.sqlite: .+\nissues: 1\n$/)
  }
  await writeFile(file, whole)
})

test('a folder without backup.json, and no folder, are refused with what to do', async () => {
  const incomplete = await run(['restore', data])
  assert.equal(incomplete.code, 2)
  assert.match(incomplete.stderr, /is no complete backup: it has no backup\.json/)
  assert.match((await run(['restore'])).stderr, /name the folder of a backup, or add --check/)
})

const EMPTY_EDITION = {
  edition: '2026-11-15',
  revision: 1,
  method: '1',
  start_block: 0,
  end_block: 1,
  window_start: 0,
  window_end: 1,
  is_complete: 1,
  published_at: 1,
  merchants: 0,
  tx: 0,
  amount: 0,
  real_tx: 0,
  real_amount: 0,
} as const

/** A settled call whose answer is in a file. */
function callWith(answerFile: string) {
  return {
    id: 'call',
    payer: `0x${'11'.repeat(20)}`,
    nonce: `0x${'22'.repeat(32)}`,
    network: 'eip155:8453',
    asset: `0x${'33'.repeat(20)}`,
    pay_to: `0x${'44'.repeat(20)}`,
    scheme: 'exact',
    service: 'utility',
    endpoint: 'scrape',
    scope: 'public',
    fingerprint: '',
    identifier: null,
    state: 'settled',
    is_open: 0,
    is_stream: 0,
    runs: 1,
    is_rerun: 0,
    owner: null,
    claim: '',
    signed_amount: 1000,
    charge: 1000,
    valid_before: 1,
    offer: null,
    tx_hash: null,
    reason: null,
    bytes_sent: 0,
    reserved_at: 1,
    updated_at: 1,
    settled_at: 1,
    check_at: 1,
    answer_status: 200,
    answer_headers: '{}',
    answer_file: answerFile,
    answer_body: null,
  } as const
}
