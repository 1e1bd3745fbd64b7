import { Resvg } from '@resvg/resvg-js'

/** Job that renders a code's own SVG at its size, as PNG. */
export function drawQr({ svg }: { readonly svg: string }): Uint8Array {
  return new Resvg(svg, { font: { loadSystemFonts: false } }).render().asPng()
}
