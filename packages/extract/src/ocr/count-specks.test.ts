import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countSpecks } from './count-specks.ts'
import type { GrayImage } from './gray-image.ts'

/** The same by filling each area. */
function countByFilling({ pixels, width, height }: GrayImage): number {
  const left = new Set(Array.from(pixels.keys()).filter((at) => (pixels[at] ?? 255) < 128))
  let count = 0
  for (const first of left) {
    count += 1
    const open = [first]
    while (open.length > 0) {
      const at = open.pop() ?? 0
      if (!left.delete(at)) continue
      const x = at % width
      if (x > 0) open.push(at - 1)
      if (x < width - 1) open.push(at + 1)
      if (at >= width) open.push(at - width)
      if (at < width * (height - 1)) open.push(at + width)
    }
  }
  return count
}

test('the dark areas of an image are counted as by filling each', () => {
  const image = fc
    .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }))
    .chain(([width, height]) =>
      fc
        .array(fc.constantFrom(0, 127, 128, 255), { minLength: width * height, maxLength: width * height })
        .map((pixels) => ({ pixels: Uint8Array.from(pixels), width, height })),
    )
  fc.assert(fc.property(image, (one) => assert.equal(countSpecks(one), countByFilling(one))))
})
