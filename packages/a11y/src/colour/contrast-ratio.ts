import type { Colour } from './colour.ts'

/**
 * The contrast ratio of two opaque colours, 1 to 21, not rounded.
 * @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
 */
export function contrastRatio(one: Colour, other: Colour): number {
  const luminances = [relativeLuminance(one), relativeLuminance(other)]
  // 0.05 represents the ambient light that any screen reflects (WCAG 2.2).
  return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05)
}

/**
 * Relative luminance of an opaque colour, 0 for black to 1 for white.
 * @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
 */
export function relativeLuminance(colour: Colour): number {
  return 0.2126 * toLinear(colour.red) + 0.7152 * toLinear(colour.green) + 0.0722 * toLinear(colour.blue)
}

/** Linear light of an sRGB channel; 0.04045 as in IEC 61966-2-1 and the current text of WCAG 2.2. */
function toLinear(channel: number): number {
  const share = channel / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}
