import type { Drawing } from '../picture.ts'
import { paint } from './painting.ts'
import { shortNumber } from './short-number.ts'

const OPERATORS = { move: 'm', line: 'l', curve: 'c', close: 'h', fill: 'f', colour: 'rg' }

/**
 * Writes a drawing as Encapsulated PostScript, version 3.0 of the format (Adobe Technical Note 5002), for
 * PostScript level 2. Unpainted areas are transparent.
 * @param scale points per pixel
 */
export function writeEps(drawing: Drawing, scale: number): string {
  const [width, height] = [drawing.width * scale, drawing.height * scale]
  return `%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 0 0 ${Math.ceil(width)} ${Math.ceil(height)}
%%HiResBoundingBox: 0 0 ${shortNumber(width)} ${shortNumber(height)}
%%LanguageLevel: 2
%%Pages: 1
%%EndComments
%%Page: 1 1
10 dict begin
/m /moveto load def /l /lineto load def /c /curveto load def
/h /closepath load def /f /fill load def /rg /setrgbcolor load def
gsave
0 ${shortNumber(height)} translate ${shortNumber(scale, 6)} ${shortNumber(-scale, 6)} scale
${paint(drawing, OPERATORS)}grestore
end
showpage
%%EOF
`
}
