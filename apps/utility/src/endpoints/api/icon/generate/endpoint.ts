import { BLACK, WHITE } from '@tollbook/a11y/colour/colour'
import { parseColour, readColour } from '@tollbook/a11y/colour/parse-colour'
import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import type { Issue } from '@tollbook/http/problem'
import { defineJob } from '@tollbook/workers/job'
import * as z from 'zod'
import { ICON_STYLES, type IconStyle, outlineOf, stylesOf } from '../../../../engines/icons/icon-outline.ts'
import { BRAND_NOTICE, ICON_ATTRIBUTION, ICON_LICENCE } from '../../../../engines/icons/icon-set.ts'
import type { UtilityPorts } from '../../../../ports.ts'
import { SHAPES } from './background-shape.ts'
import type { Paint } from './compose-icon.ts'

const draw = defineJob<typeof import('./draw-icon.ts').drawIcon>({
  module: new URL('./draw-icon.ts', import.meta.url),
  name: 'drawIcon',
  deadlineMs: 8_000,
})

const colour = z.string().trim().max(100)

const input = z.object({
  icon: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .describe('Name of a Font Awesome icon, as returned by /api/icon/search; former names are accepted.'),
  style: z
    .enum(ICON_STYLES)
    .optional()
    .describe('Defaults to the first that the icon has of solid, regular, brands.'),
  size: z.number().int().min(16).max(2048).default(512).describe('Width and height in pixels.'),
  color: colour
    .optional()
    .describe(
      'Colour of the icon, hex or another CSS form. Defaults to #ffffff, or #000000 without a visible background.',
    ),
  background: z
    .union([
      colour,
      z.object({
        from: colour,
        to: colour,
        angle: z
          .number()
          .min(-360)
          .max(360)
          .default(135)
          .describe('As in CSS: 0 points up, 90 to the right.'),
      }),
    ])
    .default('#2563eb')
    .describe('Colour of the shape, {from, to, angle} for a gradient, or transparent.'),
  shape: z.enum(SHAPES).default('rounded').describe('Shape of the background; none draws the icon alone.'),
  padding: z
    .number()
    .min(0)
    .max(0.45)
    .default(0.2)
    .describe('Padding between the icon and the edge, as a share of the size.'),
  rotate: z.number().min(-360).max(360).default(0).describe('Clockwise rotation of the icon in degrees.'),
  formats: z
    .array(z.enum(['svg', 'png']))
    .min(1)
    .max(2)
    .default(['svg', 'png'])
    .describe('Which of the two formats to return.'),
})

type Input = z.output<typeof input>

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAADJElEQVR4nMWWTUhUURTHz1XGhQ7M2MIJophsWekEbayFirroSfTGTZGIrtoJCgUKhYqBQS20dkJgDNbOGQmnQKNx0QcU+DQXrUySFs4i38TYYia9/e+bedN8z5uZ5/SD4zvvMHj/5+PedxkVgWNeusY5yYwzJyduR8gFEyiMmMoZ32aMfLu9/kXEDFFQwPEXsvPwIDJGnMkUW9QATCXGfbV1NcPbbp+KQE7yCmjwSGP4yZDxhdOBEOLTwT7/BF6ywmAZOL2y/Xc48hauC2YGSq21pj1bNTIEnJiXXNFDhsVLzToXTLVU8fYfvX4FLwlSBMQyj34zf3EdptZaLaeTK5EQEFvc1LLnQsFMXMBTIyEAAzdORGOwSjABEeMENAHaVvsTXTu60qfzrxWagAZP9xwW76eKwp4F+5YGdAF7EGBK9rYaKy10TlEoGqae5VFEcsFUCKhnDZ6rMtGBFxFTmGkZphtnOun97hdyL48gko9qNwSYV/4rJ1torvUu/Yrsa4tv7m0hmhuUf4Y5PFKAE7XivSxO1Tlopfux1oJ7n2dp9usiovmBgFVUQFqD74KVxRvpCZ071kivdz5S/+okIoZQhAAOpyzuNPXS7aabtBMOUod/kEKRMKLGKFvAZcd5Wuh6AI8w9SP0DsNXDBDQrWAIm+HnZKFrimwWK/WsjKZkJ/r9SX6qPR9tPKeHG/OIFgNbNzSEXmR4CZlu/txKESEmXky+sS2XSXwIC29DkaEXVThb35gQcb2xgyYv3tK2XMfSIH3f38UviwMCZiDA2EGULkJMvGBg9T692vkArxRwEOEvjmJJxcMGy0uyCIHY62LPl0gIX0R7XEDhNujoIgRunPX6PBRP0scofhnZJvx/WCUI4Y7oTHyOBWjDOP2vC4kOWqGgFc1wjxC2jtK74GikCKhAKxKlh6+RIkAQu5ZTgMwXEbJUUVvea7lOrBLRgHntYOu4A7YlZ66TVYBOfDCHYDZYKYRg0/rAZSOvAEG8GtOohoxXo0KwMPMh66FsWSdTUEAysWP7UGbEnZyYHaKaEQb4qhFX4SicqgPBvpc++Ib4C3YdTDYI863MAAAAAElFTkSuQmCC'

/** A request and its answer. */
const ICON_EXAMPLE = {
  input: { icon: 'check', shape: 'circle' as const, background: '#16a34a', size: 32, padding: 0.25 },
  output: {
    icon: 'check',
    style: 'solid' as const,
    size: 32,
    width: 32,
    height: 32,
    svg: '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32" viewBox="0 0 32 32"><!--! Font Awesome Free 7.3.1 by @fontawesome - https://fontawesome.com License - https://fontawesome.com/license/free (Icons: CC BY 4.0, Fonts: SIL OFL 1.1, Code: MIT License) Copyright 2026 Fonticons, Inc. Changed: size, colour, background.--><circle cx="16" cy="16" r="16" fill="#16a34a"/><g transform="translate(16 16) scale(0.03125) translate(-224.006198 -256)" fill="#ffffff"><path d="M434.8 70.1c14.3 10.4 17.5 30.4 7.1 44.7l-256 352c-5.5 7.6-14 12.3-23.4 13.1s-18.5-2.7-25.1-9.3l-128-128c-12.5-12.5-12.5-32.8 0-45.3s32.8-12.5 45.3 0l101.5 101.5 234-321.7c10.4-14.3 30.4-17.5 44.7-7.1z"/></g></svg>',
    png_base64: PNG,
    data_uri: `data:image/png;base64,${PNG}`,
    license: ICON_LICENCE,
    attribution: ICON_ATTRIBUTION,
    notice: null,
    ts: '2026-11-21T10:00:00.000Z',
  },
}

export const iconGenerate = defineEndpoint({
  id: 'icon-generate',
  method: 'POST',
  effect: 'none',
  path: '/api/icon/generate',
  pricing: { kind: 'exact', priceUsd: '0.02' },
  summary: 'Draw an icon',
  description:
    'An icon of Font Awesome Free on a background shape (circle, square, rounded, squircle or none) in any colours, including gradients, with padding and rotation: SVG, and PNG of exactly the requested size, 16 to 2048 pixels.',
  input,
  output: z.object({
    icon: z.string(),
    style: z.enum(ICON_STYLES),
    size: z.int(),
    width: z.int(),
    height: z.int(),
    svg: z.string().nullable().describe('Has the attribution in a comment.'),
    png_base64: z.base64().nullable(),
    data_uri: z.string().describe('The PNG, or the SVG if no PNG is requested.'),
    license: z.string(),
    attribution: z.string().describe('Attribution that the licence requires where the icon is shown.'),
    notice: z.string().nullable().describe('Trademark terms for brand icons.'),
    ts: z.iso.datetime(),
  }),
  example: ICON_EXAMPLE,
  limits: { bodyBytes: 8192, timeoutMs: 10_000 },
  check: findIssues,
  async handle({ input: args, ports, signal, now }: Call<Input, UtilityPorts, Address>) {
    const { icon, size, shape, padding, rotate, formats } = args
    const style = args.style ?? stylesOf(icon)[0] ?? 'solid'
    const outline = outlineOf(icon, style)
    if (!outline) throw new Error('unreachable: validation found the icon in this style')
    const background = readPaint(args.background)
    const isBare = shape === 'none' || ('alpha' in background && background.alpha === 0)
    const ink = args.color === undefined ? (isBare ? BLACK : WHITE) : readColour(args.color)
    const design = { size, shape, padding, rotate, background, colour: ink }
    const isPngWanted = formats.includes('png')
    const { svg, png } = await ports.workers.run(draw, { icon: outline, design, isPngWanted }, signal)
    return json({
      icon,
      style,
      size,
      width: size,
      height: size,
      svg: formats.includes('svg') ? svg : null,
      png_base64: png,
      data_uri:
        png === null
          ? `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
          : `data:image/png;base64,${png}`,
      license: ICON_LICENCE,
      attribution: ICON_ATTRIBUTION,
      notice: style === 'brands' ? BRAND_NOTICE : null,
      ts: now.toISOString(),
    })
  },
})

/** Issues of well-formed options: unknown icons, styles that the icon lacks, and invalid colours. */
function findIssues({ icon, style, color, background }: Input): readonly Issue[] {
  const colours =
    typeof background === 'string'
      ? { color, background }
      : { color, 'background.from': background.from, 'background.to': background.to }
  const unreadable = Object.entries(colours)
    .filter(([, text]) => text !== undefined && parseColour(text) === null)
    .map(([parameter]) => ({ parameter, detail: 'is not a colour (expected #rgb, #rrggbb or #rrggbbaa)' }))
  return [...findIconIssues(icon, style), ...unreadable]
}

function findIconIssues(icon: string, style: IconStyle | undefined): readonly Issue[] {
  const styles = stylesOf(icon)
  const code = 'cannot_be_served' as const
  if (styles.length === 0)
    return [
      { parameter: 'icon', detail: 'is not an icon of the set: find its name with /api/icon/search', code },
    ]
  if (style === undefined || styles.includes(style)) return []
  return [
    { parameter: 'style', detail: `is not available for this icon, which has ${styles.join(', ')}`, code },
  ]
}

function readPaint(background: Input['background']): Paint {
  if (typeof background === 'string') return readColour(background)
  const { from, to, angle } = background
  return { from: readColour(from), to: readColour(to), angle }
}
