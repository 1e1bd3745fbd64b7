import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'node:test'
import { writeMarkdown } from '@tollbook/extract/document/write-markdown'
import { drawSign, SIGN } from '@tollbook/testing/utility/draw-sign'
import sharp from 'sharp'
import { type Ocr, type OcrImage, openOcr } from './open-ocr.ts'

/** At which the capitals of the sign, of 13 of 72 points an inch, are 8 pixels high. */
const SMALL_DPI = 44
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

test('noise has no text, which is found out in less time than a strike', async (context) => {
  const ocr = openOcr()
  assert.ok(ocr)
  context.after(() => ocr.close())
  const fine = ocr.read({ bytes: await drawNoise({ side: 2_000, dot: 1 }) }, NEVER)
  await assert.rejects(fine, {
    message: 'cannot_be_served: No text was found in the image: it looks like noise.',
    isStrike: false,
  })
  assert.equal(await readText(ocr, { bytes: await drawNoise({ side: 2_000, dot: 2 }) }), '')
})

test('a wall of small print ends after 5 seconds of a processor, and the next image is read', async (context) => {
  const ocr = openOcr()
  assert.ok(ocr)
  context.after(() => ocr.close())
  await assert.rejects(ocr.read({ bytes: await drawWall(2_200) }, NEVER), {
    message: 'cannot_be_served: Reading the text of the image takes more than 5 seconds of a processor.',
    isStrike: true,
  })
  const sign = { bytes: await (await drawSign(100)).png().toBuffer() }
  assert.equal(await readText(ocr, sign), SIGN)
})

test('a sign on its side, upside down, slanted, light on dark or in letters of 8 pixels is read', async (context) => {
  const ocr = openOcr()
  assert.ok(ocr)
  context.after(() => ocr.close())
  const sign = async (dpi: number) => sharp(await (await drawSign(dpi)).png().toBuffer())
  const drawn = {
    'on its side': (await sign(100)).rotate(90),
    'on its other side': (await sign(100)).rotate(270),
    'upside down': (await sign(100)).rotate(180),
    slanted: (await sign(100)).rotate(4, { background: '#fff' }),
    'light on dark': (await sign(100)).negate({ alpha: false }),
    'letters of 8 pixels': await sign(SMALL_DPI),
  }
  for (const [name, image] of Object.entries(drawn)) {
    assert.equal(await readText(ocr, { bytes: await image.png().toBuffer() }), SIGN, name)
  }
})

/** A square that is full of the sign, in small letters. */
async function drawWall(side: number): Promise<Buffer> {
  const input = await (await drawSign(SMALL_DPI)).png().toBuffer()
  const wall = sharp({ create: { width: side, height: side, channels: 3, background: '#fff' } })
  return await wall
    .composite([{ input, tile: true, gravity: 'northwest' }])
    .png()
    .toBuffer()
}

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
