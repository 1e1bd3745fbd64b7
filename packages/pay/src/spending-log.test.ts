import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openSpendingLog } from './spending-log.ts'

test('a database of another program is refused and gets no tables', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-log-'))
  t.after(() => rmSync(folder, { recursive: true }))
  // The second would accept payments, but its rows have no state, so that no budget would count them.
  const foreign = [
    'create table notes (text)',
    'create table payment (id, at, url, request, has_key, pay_to, amount, counted, payload, state, tx, is_answered)',
  ]
  for (const [index, schema] of foreign.entries()) {
    const path = join(folder, `${index}.sqlite`)
    const before = new DatabaseSync(path)
    before.exec(schema)
    before.close()
    assert.throws(() => openSpendingLog(path), /is a database of another program, not a log of payments/)
    const after = new DatabaseSync(path)
    t.after(() => after.close())
    assert.deepEqual(
      after
        .prepare('select sql from sqlite_schema')
        .all()
        .map(({ sql }) => String(sql).toLowerCase()),
      [schema],
    )
  }
})

test('a log that was created earlier is opened again with its totals', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-log-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'log.sqlite')
  const payment = { url: 'http://a/', request: 'r', hasKey: false, payTo: '0x1', amount: 5n, payload: {} }
  const first = openSpendingLog(path)
  assert.equal(first.reserve({ ...payment, id: 'a' }, 9n), 'made')
  first.close()
  const second = openSpendingLog(path)
  t.after(() => second.close())
  assert.deepEqual(second.totals(), { spent: 0n, open: 5n })
  // 5 + 5 > 9.
  assert.equal(second.reserve({ ...payment, id: 'b' }, 9n), 'short')
})
