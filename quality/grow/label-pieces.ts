/** Shorter pieces occur in a text by chance. */
const MIN_WORDS = 4
/** Words in a run. */
const RUN = 3
/** Pieces on either side that help to classify a short piece. */
const NEAR = 4

export function toWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
}

/**
 * How far each piece of a page is content, 0 to 1: the share of its word runs that occur in the content. A
 * short piece is content if it is a line of the content, or if it occurs in the content and its neighbours on
 * the page are content.
 */
export function labelPieces(pieces: readonly string[], content: string): number[] {
  const wanted = toWords(content)
  const text = ` ${wanted.join(' ')} `
  const lines = new Set(content.split('\n').map((line) => toWords(line).join(' ')))
  const runs = new Set(runsOf(wanted))
  const words = pieces.map(toWords)
  const sure = words.map((list): number | null => {
    if (list.length === 0) return 0
    if (list.length >= MIN_WORDS) {
      const own = runsOf(list)
      return own.filter((run) => runs.has(run)).length / own.length
    }
    const said = list.join(' ')
    if (lines.has(said)) return 1
    return text.includes(` ${said} `) ? null : 0
  })
  const nearest = (at: number, step: 1 | -1) => {
    for (let other = at + step; Math.abs(other - at) <= NEAR; other += step)
      if ((words[other]?.length ?? 0) > 0 && typeof sure[other] === 'number') return (sure[other] ?? 0) > 0.5
    return false
  }
  return sure.map((label, at) => {
    if (label !== null) return label
    const sides = Number(nearest(at, -1)) + Number(nearest(at, 1))
    return [0.1, 0.7, 1][sides] ?? 0
  })
}

function runsOf(words: readonly string[]): string[] {
  return words
    .slice(0, Math.max(0, words.length - RUN + 1))
    .map((_, at) => words.slice(at, at + RUN).join(' '))
}
