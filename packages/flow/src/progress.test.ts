import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgress, renderBar } from './progress.ts'

function record() {
  const lines: string[] = []
  const screen = {
    write(text: string) {
      lines.push(text)
      return true
    },
  }
  return { lines, screen }
}

test('a bar shows share, count, rate and the time left', () => {
  // 500 in 2,000 ms are 250 a second; the other 1,500 take 6 s.
  assert.equal(
    renderBar({ done: 500, total: 2000, unit: 'payments', elapsedMs: 2000 }),
    '[######..................] 25 % 500 of 2000 payments, 250 payments/s, 6 s left',
  )
})

test('without a terminal a phase is one line when it ends', async () => {
  const { lines, screen } = record()
  let clockMs = 0
  const progress = createProgress(screen, () => clockMs)
  const result = await progress.phase('index', async ({ at }) => {
    clockMs += 1500
    at(1, 2, 'blocks')
    return 7
  })
  assert.equal(result, 7)
  assert.deepEqual(lines, ['index: 1.5 s\n'])
})

test('without a terminal a phase of more than two seconds reports its progress', async () => {
  const { lines, screen } = record()
  let clockMs = 0
  await createProgress(screen, () => clockMs).phase('index', async ({ at }) => {
    clockMs += 2500
    at(1, 2, 'blocks')
  })
  assert.equal(lines.length, 2)
  assert.match(lines[0] ?? '', /50 % 1 of 2 blocks/)
})

test('a failing phase is reported and rethrows the error', async () => {
  const { lines, screen } = record()
  await assert.rejects(
    createProgress(screen, () => 0).phase('index', async () => {
      throw new Error('no chain')
    }),
    /no chain/,
  )
  assert.deepEqual(lines, ['index: failed\n'])
})
