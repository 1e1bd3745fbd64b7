import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateMinSeconds } from './estimate-seconds.ts'

test('running text is never overestimated, and digits at a slow speed are detected', () => {
  const words = 'The birch canoe slid on the smooth planks. '.repeat(70).slice(0, 3000)
  // Flite speaks it in 172 seconds at speed 1 and 691 at 0.25; at most 1,200 are made.
  assert.ok(estimateMinSeconds(words, 1) < 172)
  assert.ok(estimateMinSeconds(words, 0.25) < 691)
  // 850 seconds at speed 1, so 3,400 at 0.25.
  assert.ok(estimateMinSeconds('9'.repeat(3000), 1) < 850)
  assert.ok(estimateMinSeconds('9'.repeat(3000), 0.25) > 1200)
})
