import { composite, WHITE } from '../../../../engines/colour/colour.ts'
import { contrastRatio, relativeLuminance } from '../../../../engines/colour/contrast-ratio.ts'
import { pixelsPerModule } from './render-png.ts'
import type { QrStyle } from './render-svg.ts'

/** ISO/IEC 18004 section 5.3.8 requires a quiet zone of four modules. */
const STANDARD_MARGIN = 4
/** Below this, cameras cannot distinguish dark from light (the ratio of WCAG 2.2 for graphics). */
const MIN_CONTRAST = 3
/** At one pixel per module jsQR still reads every code, but zbar misses about half of version 40. */
const MIN_PIXELS = 2

/** What may prevent a reader from decoding a code that is correct. */
export function findWarnings(modules: number, style: QrStyle): readonly string[] {
  const light = composite(style.light, WHITE)
  const dark = composite(style.dark, light)
  const ratio = contrastRatio(dark, light)
  const scale = pixelsPerModule(modules, style)
  const warnings: string[] = []
  if (relativeLuminance(dark) > relativeLuminance(light))
    warnings.push('dark is lighter than light: many readers do not read inverted codes')
  if (ratio < MIN_CONTRAST)
    warnings.push(
      `the contrast of dark and light is ${ratio.toFixed(2)}:1: readers need about ${MIN_CONTRAST}:1`,
    )
  if (style.light.alpha < 1) warnings.push('light is not opaque: place the code on a light surface')
  if (style.margin < STANDARD_MARGIN)
    warnings.push(
      `margin is ${style.margin}: ISO/IEC 18004 requires ${STANDARD_MARGIN} modules, so keep the surroundings light`,
    )
  if (scale < MIN_PIXELS)
    warnings.push(
      `a module of the PNG is ${scale} pixel wide: some readers need ${MIN_PIXELS}, so request a larger size`,
    )
  return warnings
}
