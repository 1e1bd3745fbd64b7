import { type Colour, toHex } from '@tollbook/a11y/colour/colour'
import { parseColour, readColour } from '@tollbook/a11y/colour/parse-colour'
import { json } from '@tollbook/endpoints/answer'
import { defineEndpoint } from '@tollbook/endpoints/endpoint'
import { providedValue, withOtherNames } from '@tollbook/endpoints/other-names'
import type { Issue } from '@tollbook/http/problem'
import * as z from 'zod'
import { measureContrast } from './contrast.ts'

const FOREGROUND = ['fg', 'foreground'] as const
const BACKGROUND = ['bg', 'background'] as const

/** No CSS colour is longer, including `rgba()` with decimals and spaces. */
const colourText = z.string().trim().min(1).max(100)

const input = withOtherNames(
  z.object({
    fg: colourText
      .describe(
        'Foreground: #rgb to #rrggbbaa (the # is optional), rgb(), rgba(), hsl(), hsla() or a CSS name.',
      )
      .optional(),
    bg: colourText
      .describe('Background, in the same formats. A translucent one is composited over white.')
      .optional(),
    foreground: colourText.describe('Same as fg.').optional(),
    background: colourText.describe('Same as bg.').optional(),
  }),
  FOREGROUND,
  BACKGROUND,
)

const colour = z.object({
  input: z.string().describe('The colour as requested.'),
  hex: z.string().describe('#rrggbb, or #rrggbbaa if translucent.'),
  rgb: z.tuple([z.number(), z.number(), z.number()]).describe('Red, green and blue, 0 to 255, not rounded.'),
  alpha: z.number().min(0).max(1),
  seen_hex: z
    .string()
    .describe('The measured colour after compositing, rounded to 8 bits; the ratio uses the exact one.'),
})
const verdict = z.boolean()

/** All fields with an unreadable colour. */
function findIssues(args: z.output<typeof input>): readonly Issue[] {
  return Object.entries(args)
    .filter(([, text]) => text !== undefined && parseColour(text) === null)
    .map(([parameter, text]) => ({
      parameter,
      detail: `${JSON.stringify(text)} is not a colour (expected #rgb, #rrggbb, rgb(119, 119, 119), rgb(0 0 0 / 50%), hsl(270 50% 40%) or a CSS name)`,
    }))
}

function describeColour(text: string, args: Colour, seen: Colour): z.output<typeof colour> {
  const { red, green, blue, alpha } = args
  return { input: text, hex: toHex(args), rgb: [red, green, blue], alpha, seen_hex: toHex(seen) }
}

export const contrast = defineEndpoint({
  id: 'contrast',
  method: 'GET',
  path: '/api/a11y/contrast',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  summary: 'Colour contrast',
  description:
    'Exact WCAG contrast ratio of a foreground and a background colour (hex, rgb(), hsl() or name, with alpha) and AA/AAA pass or fail for normal text, large text and UI components, with the nearest passing foreground.',
  input,
  output: z.object({
    foreground: colour,
    background: colour,
    ratio: z.number().min(1).max(21).describe('The contrast ratio at full double precision.'),
    ratio_text: z.string().describe('Two decimals, truncated and never rounded up.'),
    aa: z.object({ normal_text: verdict, large_text: verdict, ui_components: verdict }),
    aaa: z.object({ normal_text: verdict, large_text: verdict }),
    suggestions: z
      .object({ nearest_fg_aa: z.string().nullable(), nearest_fg_aaa: z.string().nullable() })
      .nullable()
      .describe(
        'The nearest foreground that passes AA and AAA for normal text; null if the requested one passes, or none can.',
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
  check: findIssues,
  handle({ input: args, now }) {
    const [foregroundText, backgroundText] = [
      providedValue(args, FOREGROUND),
      providedValue(args, BACKGROUND),
    ]
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
