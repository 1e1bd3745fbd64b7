import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { findOutlines, type Mask, type Outline } from './outline.ts'

const masks = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }))
  .chain(([width, height]) =>
    fc
      .array(fc.integer({ min: 0, max: 1 }), { minLength: width * height, maxLength: width * height })
      .map((cells): Mask => ({ width, height, cells: Uint8Array.from(cells) })),
  )

/** Fills by the winding number: each vertical step changes the winding of the cells on its right. */
function fill(outlines: readonly Outline[], width: number, height: number): number[] {
  const winding = new Array<number>(width * height).fill(0)
  for (const { xs, ys } of outlines)
    for (let at = 0; at < xs.length; at++) {
      const next = (at + 1) % xs.length
      const [y, toY] = [ys[at] ?? 0, ys[next] ?? 0]
      if (y === toY) continue
      for (let x = xs[at] ?? 0; x < width; x++) {
        const cell = Math.min(y, toY) * width + x
        winding[cell] = (winding[cell] ?? 0) + (toY < y ? 1 : -1)
      }
    }
  return winding
}

test('filling the outlines of an area restores the area', () => {
  fc.assert(
    fc.property(masks, (mask) => {
      assert.deepEqual(fill(findOutlines(mask, 0), mask.width, mask.height), [...mask.cells])
    }),
    { numRuns: 60 },
  )
})

test('outlines around fewer pixels than the minimum area are omitted', () => {
  // A single pixel and a square of four: areas 1 and 4.
  const cells = Uint8Array.of(1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1)
  const outlines = findOutlines({ width: 4, height: 3, cells }, 4)
  assert.deepEqual(
    outlines.map(({ xs }) => xs.length),
    [8],
  )
})
