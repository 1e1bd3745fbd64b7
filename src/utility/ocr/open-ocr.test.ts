import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'node:test'
import sharp from 'sharp'
import { drawSign, SIGN } from '../../../test/utility/draw-sign.ts'
import { writeMarkdown } from '../../engines/extract/document/write-markdown.ts'
import { type Ocr, type OcrImage, openOcr } from './open-ocr.ts'

const NEVER = new AbortController().signal

async function readText(ocr: Ocr, image: OcrImage): Promise<string> {
  return writeMarkdown((await ocr.read(image, NEVER)).blocks)
}

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
  const image = { bytes: await (await drawSign(100)).png().toBuffer() }
  const expected = SIGN
  assert.equal(await readText(ocr, image), expected)
  const findEngines = () =>
    started.filter(({ spawnargs }) => spawnargs.some((word) => word.includes('ocr-engine')))
  const [engine] = findEngines()
  assert.ok(engine)
  // So that the image is still being read when its caller leaves.
  engine.kill('SIGSTOP')
  const caller = new AbortController()
  const left = ocr.read(image, caller.signal)
  setImmediate(() => caller.abort(new Error('gone')))
  await assert.rejects(left, { message: 'gone' })
  engine.kill('SIGCONT')
  assert.equal(await readText(ocr, image), expected)
  assert.equal(findEngines().length, 1)
})

test('a drawing that is sent as an image does not reach its decoder', async (context) => {
  const ocr = openOcr()
  assert.ok(ocr)
  context.after(() => ocr.close())
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
  await assert.rejects(ocr.read({ bytes: Buffer.from(svg) }, NEVER), {
    message:
      'cannot_be_served: The image is broken, has a side of more than 65,535 pixels, or more than 50 million pixels.',
  })
  const tiff = { bytes: await (await drawSign(100)).tiff().toBuffer() }
  assert.equal(await readText(ocr, tiff), SIGN)
})

test('noise holds the recogniser up for some seconds of a processor, and the next image is read', async (context) => {
  const ocr = openOcr()
  assert.ok(ocr)
  context.after(() => ocr.close())
  const fine = ocr.read({ bytes: await drawNoise({ side: 2_000, dot: 1 }) }, NEVER)
  await assert.rejects(fine, {
    message: 'cannot_be_served: No text was found in the image: it looks like noise.',
    isStrike: false,
  })
  const coarse = ocr.read({ bytes: await drawNoise({ side: 2_000, dot: 2 }) }, NEVER)
  await assert.rejects(coarse, {
    message: 'cannot_be_served: Reading the text of the image takes more than 5 seconds of a processor.',
    isStrike: true,
  })
  const sign = { bytes: await (await drawSign(100)).png().toBuffer() }
  assert.equal(await readText(ocr, sign), SIGN)
})

/** Squares of black and white, the same in each run. */
async function drawNoise({ side, dot }: { readonly side: number; readonly dot: number }): Promise<Buffer> {
  const width = side / dot
  const pixels = createHash('shake256', { outputLength: (width * width) / 8 }).digest()
  const gray = Buffer.from(
    Array.from({ length: width * width }, (_, at) => ((pixels[at >> 3] ?? 0) >> (at & 7)) & 1),
  )
  const image = sharp(gray, { raw: { width, height: width, channels: 1 } }).linear(255, 0)
  return await image.resize(side, side, { kernel: 'nearest' }).png().toBuffer()
}
