import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'node:test'
import { drawSign, SIGN } from '../../../test/utility/draw-sign.ts'
import { openOcr } from './open-ocr.ts'

const NEVER = new AbortController().signal

test('a caller that leaves does not end the engine, which is slow to load', async (context) => {
  const started: ChildProcess[] = []
  const count = (message: unknown) => void started.push((message as { process: ChildProcess }).process)
  subscribe('child_process', count)
  const ocr = openOcr()
  assert.ok(ocr)
  context.after(() => {
    unsubscribe('child_process', count)
    ocr.close()
  })
  const image = { bytes: await (await drawSign(100)).png().toBuffer(), isPrepared: false }
  const expected = SIGN.trim().split('\n\n')
  assert.deepEqual(await ocr.read(image, NEVER), expected)
  const caller = new AbortController()
  const left = ocr.read(image, caller.signal)
  // It is read for some hundred milliseconds.
  setTimeout(() => caller.abort(new Error('gone')), 50)
  await assert.rejects(left, { message: 'gone' })
  assert.deepEqual(await ocr.read(image, NEVER), expected)
  const engines = started.filter(({ spawnargs }) => spawnargs.some((word) => word.includes('ocr-engine')))
  assert.equal(engines.length, 1)
})
