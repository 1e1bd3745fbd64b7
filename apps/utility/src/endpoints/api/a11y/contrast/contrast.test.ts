import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Colour } from '@tollbook/a11y/colour/colour'
import { BLACK, WHITE } from '@tollbook/a11y/colour/colour'
import { contrastRatio } from '@tollbook/a11y/colour/contrast-ratio'
import { parseColour } from '@tollbook/a11y/colour/parse-colour'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { fc } from '@tollbook/testing/property'
import { measureContrast } from './contrast.ts'
import { contrast } from './endpoint.ts'

const GOLDEN = join(import.meta.dirname, 'golden')

function colour(text: string): Colour {
  const parsed = parseColour(text)
  assert.ok(parsed, text)
  return parsed
}
const measure = (foreground: string, background: string) =>
  measureContrast(colour(foreground), colour(background))

// White has luminance 1, so each ratio is 1.05 / (L + 0.05). For #767676: 118 / 255 = 0.462745 and
// L = ((0.462745 + 0.055) / 1.055) ^ 2.4 = 0.181164, so the ratio is 1.05 / 0.231164 = 4.5422.
test('greys on white have the ratios of the WCAG definition', () => {
  const expected = {
    '#767676': 4.5422,
    '#777': 4.4781,
    '#949494': 3.0335,
    '#959595': 2.9953,
    '#595959': 7.0047,
  }
  for (const [grey, ratio] of Object.entries(expected))
    assert.ok(
      Math.abs(measure(grey, '#fff').ratio - ratio) < 0.00005,
      `${grey} ${measure(grey, '#fff').ratio}`,
    )
})

test('black on white is exactly 21 and a colour on itself exactly 1', () => {
  assert.equal(measure('#000', '#fff').ratio, 21)
  assert.equal(measure('#000', '#fff').ratioText, '21.00:1')
  assert.equal(measure('teal', 'teal').ratioText, '1.00:1')
})

test('the levels change at 3, 4.5 and 7 without rounding', () => {
  const fails = measure('#777', '#fff')
  assert.deepEqual(fails.aa, { normal_text: false, large_text: true, ui_components: true })
  assert.equal(fails.ratioText, '4.47:1')
  assert.deepEqual(measure('#959595', '#fff').aa, {
    normal_text: false,
    large_text: false,
    ui_components: false,
  })
  assert.equal(measure('#959595', '#fff').ratioText, '2.99:1')
  assert.deepEqual(measure('#595959', '#fff').aaa, { normal_text: true, large_text: true })
  // 4.4994...: two decimals rounded half up would read 4.50 and pass.
  const near = measure('rgb(118.7 118.7 118.7)', '#fff')
  assert.ok(near.ratio > 4.495 && near.ratio < 4.5, String(near.ratio))
  assert.equal(near.ratioText, '4.49:1')
  assert.equal(near.aa.normal_text, false)
})

test('a translucent foreground is composited over the background, and that over white', () => {
  // Half black over white is grey 127.5; the same over half black is 63.75.
  assert.equal(measure('rgb(0 0 0 / 50%)', '#fff').ratio, measure('rgb(127.5 127.5 127.5)', '#fff').ratio)
  assert.equal(
    measure('rgb(0 0 0 / 50%)', 'rgb(0 0 0 / 50%)').ratio,
    measure('rgb(63.75 63.75 63.75)', 'rgb(127.5 127.5 127.5)').ratio,
  )
  assert.equal(measure('transparent', '#123456').ratio, 1)
  assert.equal(measure('#000', 'transparent').ratio, 21)
})

test('the suggested foreground passes, and one step towards the requested one fails', () => {
  assert.deepEqual(measure('#777', '#fff').suggestions, {
    nearest_fg_aa: '#767676',
    nearest_fg_aaa: '#595959',
  })
  assert.equal(measure('#595959', '#fff').suggestions, null)
  // On mid grey even black and white stay below 7, so nothing can be suggested for AAA.
  assert.equal(measure('#888', '#777').suggestions?.nearest_fg_aaa, null)
})

const anyColour = fc.record({
  red: fc.integer({ min: 0, max: 255 }),
  green: fc.integer({ min: 0, max: 255 }),
  blue: fc.integer({ min: 0, max: 255 }),
  alpha: fc.constantFrom(1, 0.25, 0),
})

test('for any two colours the ratio is 1 to 21, results match it, and suggestions pass', () => {
  fc.assert(
    fc.property(anyColour, anyColour, (foreground, background) => {
      const found = measureContrast(foreground, background)
      assert.ok(found.ratio >= 1 && found.ratio <= 21)
      assert.equal(found.aa.normal_text, found.ratio >= 4.5)
      assert.equal(found.aaa.normal_text, found.ratio >= 7)
      // max(contrast with black, contrast with white) is at least sqrt(21) = 4.58, so AA can always be reached.
      if (!found.aa.normal_text) assert.ok(found.suggestions?.nearest_fg_aa)
      const { nearest_fg_aa, nearest_fg_aaa } = found.suggestions ?? {}
      if (nearest_fg_aa) assert.ok(contrastRatio(colour(nearest_fg_aa), found.seenBackground) >= 4.5)
      if (nearest_fg_aaa) assert.ok(contrastRatio(colour(nearest_fg_aaa), found.seenBackground) >= 7)
      const ends = [BLACK, WHITE].map((end) => contrastRatio(end, found.seenBackground))
      if (found.ratio < 7 && !nearest_fg_aaa) assert.ok(Math.max(...ends) < 7)
    }),
  )
})

test('answers are the golden documents', async (t) => {
  const answer = async (name: string, provided: Record<string, string>) =>
    t.assert.fileSnapshot(await runEndpoint(contrast, provided), join(GOLDEN, `${name}.json`))
  await answer('grey-on-white', { fg: '#777', bg: 'white' })
  await answer('translucent', { foreground: 'rgb(255 0 0 / 50%)', background: '#00f8' })
})

test('the example is what the endpoint answers', async () => {
  assert.deepEqual(await runEndpoint(contrast, contrast.example.input), contrast.example.output)
})

test('missing, duplicate and invalid colours are reported', () => {
  const parameters = (provided: Record<string, string>) =>
    issuesOf(contrast, provided).map(({ parameter }) => parameter)
  assert.deepEqual(parameters({}), ['fg', 'bg'])
  assert.deepEqual(parameters({ fg: 'red', foreground: 'red', background: 'blue' }), ['fg'])
  assert.deepEqual(parameters({ fg: 'redd', background: '#12' }), ['fg', 'background'])
  assert.deepEqual(parameters({ fg: ' ', bg: 'red' }), ['fg'])
  assert.match(issuesOf(contrast, { fg: 'redd', bg: 'red' })[0]?.detail ?? '', /"redd" is not a colour/)
})
