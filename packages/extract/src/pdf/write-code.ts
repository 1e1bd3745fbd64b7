import type { Row } from './segments.ts'
import { wordsOf } from './to-inlines.ts'

/** Of a character of a font with fixed pitch, in font sizes. */
const USUAL_WIDTH = 0.6
const MAX_INDENT = 200
const MAX_EMPTY_LINES = 5

/** Lines of code with their indentation, the spaces between their words, and the empty lines between them. */
export function writeCode(rows: readonly Row[]): string {
  const lines = rows.map(wordsOf)
  const width = widthOf(lines)
  const left = lines.reduce((min, [first]) => Math.min(min, first?.left ?? min), Number.POSITIVE_INFINITY)
  const pitches = lines.flatMap((line, at) => {
    const pitch = baselineOf(line) - baselineOf(lines[at - 1] ?? line)
    return pitch > 0 ? [pitch] : []
  })
  const pitch = pitches.reduce((min, each) => Math.min(min, each), Number.POSITIVE_INFINITY)
  return lines
    .map((line, at) => {
      const before = lines[at - 1]
      const empty = before ? Math.round((baselineOf(line) - baselineOf(before)) / pitch) - 1 : 0
      let text = ' '.repeat(clamp(Math.round(((line[0]?.left ?? left) - left) / width), 0, MAX_INDENT))
      for (const [index, word] of line.entries()) {
        const last = line[index - 1]
        const spaces = last ? Math.round((word.left - last.left) / width) - last.text.length : 0
        text += `${last ? ' '.repeat(clamp(spaces, 1, MAX_INDENT)) : ''}${word.text}`
      }
      return '\n'.repeat(clamp(empty, 0, MAX_EMPTY_LINES)) + text
    })
    .join('\n')
}

type Line = ReturnType<typeof wordsOf>

/** The width of a character: the median of words up to the next one over a single space. */
function widthOf(lines: readonly Line[]): number {
  const size = lines[0]?.[0]?.size ?? 1
  const widths = lines
    .flatMap((line) =>
      line.slice(1).map((word, at) => {
        const last = line[at]
        return last ? (word.left - last.left) / (last.text.length + 1) : 0
      }),
    )
    .filter((width) => width > 0.45 * size && width < 0.75 * size)
    .sort((one, other) => one - other)
  return widths[Math.floor(widths.length / 2)] ?? USUAL_WIDTH * size
}

function baselineOf(line: Line): number {
  return line[0]?.baseline ?? 0
}

function clamp(value: number, min: number, max: number): number {
  return Number.isFinite(value) ? Math.min(max, Math.max(min, value)) : min
}
