/**
 * Splits a text into pieces of at most this many bytes of UTF-8: after sentences if possible, else after
 * words, else after whole characters. Together the pieces are the text.
 */
export function splitText(text: string, maxBytes: number): readonly string[] {
  return splitAt(text, maxBytes, ['sentence', 'word', 'grapheme'])
}

type Granularity = 'sentence' | 'word' | 'grapheme'

function splitAt(text: string, maxBytes: number, levels: readonly Granularity[]): readonly string[] {
  if (Buffer.byteLength(text) <= maxBytes) return [text]
  const [level, ...finer] = levels
  // A visible character may have any number of code points, each of at most four bytes.
  const parts = level
    ? [...new Intl.Segmenter('und', { granularity: level }).segment(text)].map(({ segment }) => segment)
    : [...text]
  const pieces: string[] = []
  for (const part of parts.flatMap((one) => (level ? splitAt(one, maxBytes, finer) : one))) {
    const last = pieces.at(-1)
    if (last !== undefined && Buffer.byteLength(last + part) <= maxBytes)
      pieces[pieces.length - 1] = last + part
    else pieces.push(part)
  }
  return pieces
}
