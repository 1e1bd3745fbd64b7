import type { Colour } from '@tollbook/a11y/colour/colour'
import { BLACK, composite, mix, toHex, toWholeChannels, WHITE } from '@tollbook/a11y/colour/colour'
import { contrastRatio } from '@tollbook/a11y/colour/contrast-ratio'

/** Minimum ratios of WCAG 2.2, success criteria 1.4.3, 1.4.6 and 1.4.11 (which has no AAA form). */
const MIN_RATIO = { aaText: 4.5, aaLargeText: 3, aaComponent: 3, aaaText: 7, aaaLargeText: 4.5 } as const

export type Contrast = {
  /** The visible foreground: composited over the background, which is composited over white. */
  readonly seenForeground: Colour
  readonly seenBackground: Colour
  /** 1 to 21, not rounded. */
  readonly ratio: number
  /** Two decimals, truncated and never rounded up, such as `4.47:1`. */
  readonly ratioText: string
  readonly aa: {
    readonly normal_text: boolean
    readonly large_text: boolean
    readonly ui_components: boolean
  }
  readonly aaa: { readonly normal_text: boolean; readonly large_text: boolean }
  /** The nearest foregrounds that pass for normal text; null if the requested one passes both levels. */
  readonly suggestions: {
    readonly nearest_fg_aa: string | null
    readonly nearest_fg_aaa: string | null
  } | null
}

/** Measures the contrast of two colours by WCAG 2.2; nothing is rounded before the comparison. */
export function measureContrast(foreground: Colour, background: Colour): Contrast {
  const seenBackground = composite(background, WHITE)
  const seenForeground = composite(foreground, seenBackground)
  const ratio = contrastRatio(seenForeground, seenBackground)
  const suggest = (min: number) =>
    ratio >= min ? null : nearestForeground(seenForeground, seenBackground, min)
  return {
    seenForeground,
    seenBackground,
    ratio,
    ratioText: toRatioText(ratio),
    aa: {
      normal_text: ratio >= MIN_RATIO.aaText,
      large_text: ratio >= MIN_RATIO.aaLargeText,
      ui_components: ratio >= MIN_RATIO.aaComponent,
    },
    aaa: { normal_text: ratio >= MIN_RATIO.aaaText, large_text: ratio >= MIN_RATIO.aaaLargeText },
    suggestions:
      ratio >= MIN_RATIO.aaaText
        ? null
        : { nearest_fg_aa: suggest(MIN_RATIO.aaText), nearest_fg_aaa: suggest(MIN_RATIO.aaaText) },
  }
}

/** Truncates the decimals, so that 4.4995 is never printed as a passing 4.50. */
function toRatioText(ratio: number): string {
  const [whole = '', decimals = ''] = String(ratio).split('.')
  return `${whole}.${decimals.slice(0, 2).padEnd(2, '0')}:1`
}

/**
 * The opaque colour nearest to `from` (distance in sRGB) that reaches the ratio, searched on the straight
 * lines to black and to white, which keep the hue; null if neither end reaches it.
 */
function nearestForeground(from: Colour, background: Colour, min: number): string | null {
  const found = [BLACK, WHITE]
    .map((end) => firstPassing(from, end, background, min))
    .filter((colour) => colour !== null)
    .sort((one, other) => distance(from, one) - distance(from, other))[0]
  return found ? toHex(found) : null
}

function firstPassing(from: Colour, end: Colour, background: Colour, min: number): Colour | null {
  // A line between two 8-bit colours has at most 255 distinguishable steps per channel.
  for (let step = 0; step <= 255; step++) {
    const colour = toWholeChannels(mix(from, end, step / 255))
    if (contrastRatio(colour, background) >= min) return colour
  }
  return null
}

function distance(one: Colour, other: Colour): number {
  return Math.hypot(one.red - other.red, one.green - other.green, one.blue - other.blue)
}
