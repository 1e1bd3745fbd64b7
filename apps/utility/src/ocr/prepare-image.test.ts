import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { MAX_SIDE, prepareImage } from './prepare-image.ts'

const drawColumn = (height: number) =>
  sharp({ create: { width: 1, height, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()

test('no side of a prepared image is longer than the bound, also if the other has a single pixel', async () => {
  const prepared = await prepareImage(await drawColumn(65_535))
  assert.ok(prepared)
  assert.deepEqual([prepared.width, prepared.height], [1, MAX_SIDE])
})

test('a longer image is not decoded', async () => {
  assert.equal(await prepareImage(await drawColumn(65_536)), null)
})
