import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImageKind } from '@tollbook/flow/image-kind'
import { ProblemError } from '@tollbook/http/problem'
import sharp from 'sharp'
import type { VectorizeTask } from './task.ts'
import { createVectorizer } from './vectorizer.ts'

const module = new URL('../../../../../packages/testing/src/utility/image-children.ts', import.meta.url)
const NEVER = new AbortController().signal
const taskOf = (kind: ImageKind): VectorizeTask => ({
  image: new Uint8Array(),
  kind,
  format: 'svg',
  scale: 1,
  isPreview: false,
  options: { maxColours: 16, palette: null, minAreaPx: null, removesBackground: false },
})
const codeOf = (error: unknown) => (error instanceof ProblemError ? error.problem.code : String(error))

test('if an image takes too long, its process is killed and the next one starts', async () => {
  const vectorizer = createVectorizer({ module, processes: 1, deadlineMs: 300 })
  const endless = vectorizer.run(taskOf('gif'), NEVER).catch(codeOf)
  const next = vectorizer.run(taskOf('gif'), NEVER).catch(codeOf)
  assert.equal(await endless, 'upstream_timeout')
  assert.equal(await next, 'upstream_timeout')
})

test('if too many images are queued, the next one is rejected at once', async () => {
  const vectorizer = createVectorizer({ module, processes: 1, maxWaiting: 1 })
  const caller = new AbortController()
  const running = [1, 2].map(() => vectorizer.run(taskOf('gif'), caller.signal).catch((reason) => reason))
  const error = await vectorizer.run(taskOf('gif'), NEVER).catch((reason: unknown) => reason)
  assert.equal(codeOf(error), 'unavailable')
  assert.equal(error instanceof ProblemError && error.problem.retryAfterSeconds, 5)
  caller.abort('gone')
  assert.deepEqual(await Promise.all(running), ['gone', 'gone'])
})

test('an image that takes too much memory is rejected', async () => {
  const vectorizer = createVectorizer({ module, heapMb: 16 })
  assert.equal(await vectorizer.run(taskOf('bmp'), NEVER).catch(codeOf), 'cannot_be_served')
})

test('a process that fails or exits by itself is an error of the service', async () => {
  const vectorizer = createVectorizer({ module })
  assert.equal(await vectorizer.run(taskOf('png'), NEVER).catch(codeOf), 'EngineFailed: no work on png')
  const ended = await vectorizer.run(taskOf('webp'), NEVER).catch(codeOf)
  assert.equal(ended, 'EngineExited: its process ended with 3')
})

test('an image is traced by a process that sees none of our settings', async () => {
  const bare = createVectorizer({ module })
  assert.equal(await bare.run(taskOf('jpeg'), NEVER).catch(codeOf), 'EngineFailed: sees ')
  // 8 x 8 pixels, black on the left half of white.
  const pixels = Buffer.from(Array.from({ length: 64 }, (_, at) => (at % 8 < 4 ? 0 : 255)))
  const image = await sharp(pixels, { raw: { width: 8, height: 8, channels: 1 } })
    .png()
    .toBuffer()
  const vectorizer = createVectorizer()
  const traced = await vectorizer.run({ ...taskOf('png'), image }, NEVER)
  assert.deepEqual([traced.width, traced.height], [8, 8])
  assert.deepEqual([...traced.colours].sort(), ['#000000', '#ffffff'])
  assert.match(Buffer.from(traced.output).toString(), /^<svg|<\?xml/)
})

test('bytes that are not an image are rejected', async () => {
  const vectorizer = createVectorizer()
  const task = { ...taskOf('png'), image: Buffer.from('no image') }
  assert.equal(await vectorizer.run(task, NEVER).catch(codeOf), 'cannot_be_served')
})
