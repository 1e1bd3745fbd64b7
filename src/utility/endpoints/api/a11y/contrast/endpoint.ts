import * as z from 'zod'
import { givenValue, withAliases } from '../../../../../catalogue/alias.ts'
import { json } from '../../../../../catalogue/answer.ts'
import { defineEndpoint } from '../../../../../catalogue/endpoint.ts'
import type { Fault } from '../../../../../catalogue/problem.ts'
import type { Colour } from '../../../../../engines/colour/colour.ts'
import { toHex } from '../../../../../engines/colour/colour.ts'
import { parseColour } from '../../../../../engines/colour/parse-colour.ts'
import { measureContrast } from './contrast.ts'

const FOREGROUND = ['fg', 'foreground'] as const
const BACKGROUND = ['bg', 'background'] as const

/** No colour of CSS needs more characters, `rgba()` with decimals and spaces included. */
const colourText = z.string().trim().min(1).max(100)

const input = withAliases(
  z.object({
    fg: colourText
      .describe(
        'Foreground: #rgb, #rgba, #rrggbb, #rrggbbaa (the # may be left out), rgb(), rgba() or a name.',
      )
      .optional(),
    bg: colourText
      .describe('Background, in the same forms. A translucent one is laid over white.')
      .optional(),
    foreground: colourText.describe('Another name of fg.').optional(),
    background: colourText.describe('Another name of bg.').optional(),
  }),
  FOREGROUND,
  BACKGROUND,
)

const colour = z.object({
  input: z.string().describe('The colour as it was given.'),
  hex: z.string().describe('#rrggbb, or #rrggbbaa when it is translucent.'),
  rgb: z.tuple([z.number(), z.number(), z.number()]).describe('Red, green and blue, 0 to 255, not rounded.'),
  alpha: z.number().min(0).max(1),
  seen_hex: z
    .string()
    .describe('The colour that was measured, after compositing, to 8 bits; the ratio is of the exact one.'),
})
const verdict = z.boolean()

/** Every field that names a colour which cannot be read. */
function findFaults(given: z.output<typeof input>): readonly Fault[] {
  return Object.entries(given)
    .filter(([, text]) => text !== undefined && parseColour(text) === null)
    .map(([parameter, text]) => ({
      parameter,
      detail: `${JSON.stringify(text)} is no colour: give #rgb, #rrggbb, rgb(119, 119, 119), rgb(0 0 0 / 50%) or a CSS name`,
    }))
}

function readColour(text: string): Colour {
  const parsed = parseColour(text)
  if (!parsed) throw new TypeError(`a colour passed the check but cannot be read: ${text}`)
  return parsed
}

function describeColour(text: string, given: Colour, seen: Colour): z.output<typeof colour> {
  const { red, green, blue, alpha } = given
  return { input: text, hex: toHex(given), rgb: [red, green, blue], alpha, seen_hex: toHex(seen) }
}

export const contrast = defineEndpoint({
  id: 'contrast',
  method: 'GET',
  path: '/api/a11y/contrast',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  summary: 'Colour contrast',
  description:
    'Exact WCAG contrast ratio of a foreground and a background colour (hex, rgb() or name, with alpha) and AA/AAA pass or fail for normal text, large text and UI components, with the nearest passing foreground.',
  input,
  output: z.object({
    foreground: colour,
    background: colour,
    ratio: z.number().min(1).max(21).describe('The contrast ratio at full double precision.'),
    ratio_text: z.string().describe('Two decimals, cut off and never rounded up.'),
    aa: z.object({ normal_text: verdict, large_text: verdict, ui_components: verdict }),
    aaa: z.object({ normal_text: verdict, large_text: verdict }),
    suggestions: z
      .object({ nearest_fg_aa: z.string().nullable(), nearest_fg_aaa: z.string().nullable() })
      .nullable()
      .describe(
        'The nearest foreground that passes AA and AAA for normal text; null where the given one does, or none can.',
      ),
    ts: z.iso.datetime(),
  }),
  example: {
    input: { fg: '#777', bg: 'white' },
    output: {
      foreground: { input: '#777', hex: '#777777', rgb: [119, 119, 119], alpha: 1, seen_hex: '#777777' },
      background: { input: 'white', hex: '#ffffff', rgb: [255, 255, 255], alpha: 1, seen_hex: '#ffffff' },
      ratio: 4.478089453577214,
      ratio_text: '4.47:1',
      aa: { normal_text: false, large_text: true, ui_components: true },
      aaa: { normal_text: false, large_text: false },
      suggestions: { nearest_fg_aa: '#767676', nearest_fg_aaa: '#595959' },
      ts: '2026-11-21T10:00:00.000Z',
    },
  },
  limits: { bodyBytes: 4096, timeoutMs: 1000 },
  check: findFaults,
  handle({ input: given, now }) {
    const [foregroundText, backgroundText] = [givenValue(given, FOREGROUND), givenValue(given, BACKGROUND)]
    const [foreground, background] = [readColour(foregroundText), readColour(backgroundText)]
    const measured = measureContrast(foreground, background)
    return json({
      foreground: describeColour(foregroundText, foreground, measured.seenForeground),
      background: describeColour(backgroundText, background, measured.seenBackground),
      ratio: measured.ratio,
      ratio_text: measured.ratioText,
      aa: measured.aa,
      aaa: measured.aaa,
      suggestions: measured.suggestions,
      ts: now.toISOString(),
    })
  },
})
