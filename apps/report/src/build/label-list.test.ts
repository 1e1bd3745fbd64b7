import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { PermanentError } from '@tollbook/flow/failure'
import { loadLabelList, parseLabelList } from './label-list.ts'

const ENTRY = {
  address: `0x${'AB'.repeat(20)}`,
  label: 'Example Exchange, hot wallet 1',
  kind: 'exchange',
  source: 'https://exchange.example/transparency',
}

test('a list provides its version, the digest of its bytes, and its wallets in lower case', () => {
  const text = JSON.stringify({ version: '2026-11-01', wallets: [ENTRY] })
  assert.deepEqual(parseLabelList(text, 'labels.json'), {
    version: '2026-11-01',
    sha256: createHash('sha256').update(text).digest('hex'),
    wallets: new Set([`0x${'ab'.repeat(20)}`]),
  })
})

test('an invalid list is rejected with the place of each error', () => {
  const cases: [unknown, RegExp][] = [
    ['no JSON', /invalid label list labels\.json: file: /],
    [{ version: '1', wallets: [] }, /wallets: /],
    [{ version: 'a b', wallets: [ENTRY] }, /version: must be 1 to 64/],
    [
      { version: '1', wallets: [{ ...ENTRY, address: '0x12' }] },
      /wallets\.0\.address: must be 0x and 40 hex/,
    ],
    [{ version: '1', wallets: [{ ...ENTRY, kind: 'shop' }] }, /wallets\.0\.kind: /],
    [{ version: '1', wallets: [{ ...ENTRY, source: '' }] }, /wallets\.0\.source: /],
    [{ version: '1', wallets: [{ ...ENTRY, further: 1 }] }, /wallets\.0: .*further/],
    [
      { version: '1', wallets: [ENTRY, { ...ENTRY, address: ENTRY.address.toLowerCase() }] },
      /wallets\.1\.address: .* is already in the list/,
    ],
    [{ version: '1', wallets: Array.from({ length: 30 }, () => ({})) }, /and \d+ more$/],
  ]
  for (const [value, pattern] of cases) {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    assert.throws(
      () => parseLabelList(text, 'labels.json'),
      (error: Error) => error instanceof PermanentError && pattern.test(error.message),
      String(pattern),
    )
  }
  assert.throws(
    () => loadLabelList('/nowhere/labels.json'),
    /cannot read the label list \/nowhere\/labels\.json/,
  )
})
