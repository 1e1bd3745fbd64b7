import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { PermanentError } from '../../fetching/failure.ts'
import { loadLabelList, parseLabelList } from './label-list.ts'

const ENTRY = {
  address: `0x${'Ab'.repeat(20)}`,
  label: 'Example Exchange, hot wallet 1',
  kind: 'exchange',
  source: 'https://exchange.example/transparency',
}

test('a list gives its version, the digest of its bytes, and its wallets in lower case', () => {
  const text = JSON.stringify({ version: '2026-11-01', wallets: [ENTRY] })
  assert.deepEqual(parseLabelList(text, 'labels.json'), {
    version: '2026-11-01',
    sha256: createHash('sha256').update(text).digest('hex'),
    wallets: new Set([`0x${'ab'.repeat(20)}`]),
  })
})

test('a list with a fault is refused, and the fault is named with its place', () => {
  const refusals: [unknown, RegExp][] = [
    ['no JSON', /labels\.json is refused: file: /],
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
      /wallets\.1\.address: .* stands in the list already/,
    ],
    [{ version: '1', wallets: Array.from({ length: 30 }, () => ({})) }, /and \d+ more$/],
  ]
  for (const [value, pattern] of refusals) {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    assert.throws(
      () => parseLabelList(text, 'labels.json'),
      (error: Error) => error instanceof PermanentError && pattern.test(error.message),
      String(pattern),
    )
  }
  assert.throws(() => loadLabelList('/nowhere/labels.json'), /labels \/nowhere\/labels\.json cannot be read/)
})
