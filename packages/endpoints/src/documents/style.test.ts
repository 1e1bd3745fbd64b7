import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COLORS, renderStyle } from './style.ts'

/** Relative luminance of WCAG 2.2. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

for (const side of [0, 1] as const) {
  const scheme = side === 0 ? 'light' : 'dark'
  for (const text of ['ink', 'muted', 'link', 'mark'] as const) {
    for (const ground of ['ground', 'panel'] as const) {
      test(`${text} on ${ground} has a contrast of at least 4.5 in the ${scheme} scheme`, () => {
        assert.ok(contrast(COLORS[text][side], COLORS[ground][side]) >= 4.5)
      })
    }
  }
  test(`the label of a button has a contrast of at least 4.5 in the ${scheme} scheme`, () => {
    assert.ok(contrast(COLORS.ground[side], COLORS.passing[side]) >= 4.5)
  })
  test(`the edge of reported bars contrasts with the background by at least 3 in the ${scheme} scheme`, () => {
    assert.ok(contrast(COLORS.edge[side], COLORS.panel[side]) >= 3)
    assert.ok(contrast(COLORS.edge[side], COLORS.ground[side]) >= 3)
  })
  test(`passing and reported bars differ by at least 3 in the ${scheme} scheme`, () => {
    assert.ok(contrast(COLORS.passing[side], COLORS.reported[side]) >= 3)
  })
}

test('the stylesheet loads nothing', () => {
  assert.doesNotMatch(renderStyle(), /url\(|@import|expression/)
})
