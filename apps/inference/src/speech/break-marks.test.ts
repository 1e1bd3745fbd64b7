import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breakMarks } from './break-marks.ts'

test('fifty-one consecutive marks never remain, and nothing else changes', () => {
  const broken = breakMarks('!?.,;'.repeat(600))
  assert.equal(broken, `${'!?.,;'.repeat(10)} `.repeat(60))
  for (const text of ['', 'Well... (yes!?) "no" -- 3.50 $', 'a'.repeat(3000), `${'-'.repeat(49)} x`])
    assert.equal(breakMarks(text), text)
})
