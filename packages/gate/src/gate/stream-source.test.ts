import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDeadline } from '@tollbook/flow/deadline'
import type { StreamPiece } from '../contract/answer.ts'
import { openStreamSource } from './stream-source.ts'

const piece = (more: Partial<StreamPiece> = {}) => ({ bytes: new Uint8Array(1), isContent: true, ...more })

async function open() {
  const deadline = startDeadline(60_000)
  const pieces = (async function* () {
    yield piece()
    yield piece({ isContent: false, isEnd: true })
  })()
  const source = (await openStreamSource(pieces, deadline)) ?? assert.fail()
  return { source, deadline }
}

test('a source that is at its end is not aborted, so that its connection can be reused', async () => {
  const { source, deadline } = await open()
  assert.equal((await source.next())?.isEnd, true)
  await source.stop('whole')
  assert.equal(deadline.signal.aborted, false)
  deadline.clear()
})

test('a source that is stopped before its end is aborted', async () => {
  const { source, deadline } = await open()
  await source.stop('left')
  assert.equal(deadline.signal.reason, 'left')
})
