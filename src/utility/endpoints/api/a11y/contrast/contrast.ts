import type { Colour } from '../../../../../engines/colour/colour.ts'
import { BLACK, composite, mix, toHex, toWholeChannels, WHITE } from '../../../../../engines/colour/colour.ts'
import { contrastRatio } from '../../../../../engines/colour/contrast-ratio.ts'

/** The least ratios of WCAG 2.2, success criteria 1.4.3, 1.4.6 and 1.4.11 (which has no AAA form). */
const MIN_RATIO = { aaText: 4.5, aaLargeText: 3, aaComponent: 3, aaaText: 7, aaaLargeText: 4.5 } as const

export type Contrast = {
  /** The foreground as it is seen: over the background, which lies over white. */
  readonly seenForeground: Colour
  readonly seenBackground: Colour
  /** 1 to 21, not rounded. */
  readonly ratio: number
  /** Two decimals, cut off and never rounded up, such as `4.47:1`. */
  readonly ratioText: string
  readonly aa: {
    readonly normal_text: boolean
    readonly large_text: boolean
    readonly ui_components: boolean
  }
  readonly aaa: { readonly normal_text: boolean; readonly large_text: boolean }
  /** The nearest foregrounds that pass for normal text; null when the given one passes both. */
  readonly suggestions: {
    readonly nearest_fg_aa: string | null
    readonly nearest_fg_aaa: string | null
  } | null
}

/** Measures two colours against WCAG 2.2; nothing is rounded before it is compared. */
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

/** Cuts the decimals of the printed number, so that 4.4995 never reads as a passing 4.50. */
function toRatioText(ratio: number): string {
  const [whole = '', decimals = ''] = String(ratio).split('.')
  return `${whole}.${decimals.slice(0, 2).padEnd(2, '0')}:1`
}

/**
 * The opaque colour nearest to `from` (distance in sRGB) that reaches the ratio, searched on the straight ways
 * to black and to white, which keep the hue; null when neither end reaches it.
 */
function nearestForeground(from: Colour, background: Colour, min: number): string | null {
  const found = [BLACK, WHITE]
    .map((end) => firstPassing(from, end, background, min))
    .filter((colour) => colour !== null)
    .sort((one, other) => distance(from, one) - distance(from, other))[0]
  return found ? toHex(found) : null
}

function firstPassing(from: Colour, end: Colour, background: Colour, min: number): Colour | null {
  // No way between two colours of 8 bits has more than 255 distinguishable steps in one channel.
  for (let step = 0; step <= 255; step++) {
    const colour = toWholeChannels(mix(from, end, step / 255))
    if (contrastRatio(colour, background) >= min) return colour
  }
  return null
}

function distance(one: Colour, other: Colour): number {
  return Math.hypot(one.red - other.red, one.green - other.green, one.blue - other.blue)
}
