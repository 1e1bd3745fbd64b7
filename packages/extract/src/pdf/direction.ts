type Text = { readonly text: string }

/** Letters that are written from right to left: Hebrew, Arabic, Syriac, Thaana, N'Ko and their presentation forms. */
const LEFTWARD = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u
/** Digits of Arabic run to the right, as all do. */
const DIGITS = /^[\p{Nd}\p{P}\p{S}]+$/u
const RIGHTWARD = /[\p{L}\p{Nd}]/u

/** Whether text runs to the left. */
export function isLeftward(text: string): boolean {
  return LEFTWARD.test(text) && !DIGITS.test(text)
}

/** Whether most letters of a line are of words that run to the left. */
export function isLeftwardLine(words: readonly Text[]): boolean {
  let balance = 0
  for (const { text } of words) {
    if (isLeftward(text)) balance += text.length
    else if (/\p{L}/u.test(text)) balance -= text.length
  }
  return balance > 0
}

/**
 * The words of a line, given from left to right, in the order in which they are read: in a line that runs to the left
 * from its right end, with parts that run to the right as they are; in other lines the reverse.
 */
export function toReadingOrder<Word extends Text>(words: readonly Word[]): readonly Word[] {
  if (!words.some(({ text }) => isLeftward(text))) return words
  const isLeft = isLeftwardLine(words)
  const ordered = isLeft ? toLogical(words.toReversed()) : [...words]
  const isTurned = ({ text }: Word) => (isLeft ? !isLeftward(text) && RIGHTWARD.test(text) : isLeftward(text))
  const result: Word[] = []
  let turned: Word[] = []
  for (const word of ordered) {
    if (isTurned(word)) turned.push(word)
    else {
      result.push(...turned.reverse(), word)
      turned = []
    }
  }
  return [...result, ...turned.reverse()]
}

const MIRRORED: Readonly<Record<string, string>> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '{': '}',
  '}': '{',
}

/**
 * In a line that runs to the left, marks after a number are at its left, and brackets are drawn mirrored. PDFium undoes
 * the latter only in text that is drawn from left to right.
 */
function toLogical<Word extends Text>(words: readonly Word[]): Word[] {
  const line = words.map(({ text }) => text).join(' ')
  const isMirrored = countUnpaired(mirror(line)) < countUnpaired(line)
  return words.map((word) => {
    const text = word.text.replace(/^([.,:;!?]+)(\p{Nd}.*)$/u, '$2$1')
    return { ...word, text: isMirrored && !/[A-Za-z]/.test(text) ? mirror(text) : text }
  })
}

function mirror(text: string): string {
  return text.replace(/[()[\]{}]/g, (bracket) => MIRRORED[bracket] ?? bracket)
}

/** Closing brackets without an opening one before them. */
function countUnpaired(text: string): number {
  let [depth, unpaired] = [0, 0]
  for (const char of text) {
    if ('([{'.includes(char)) depth += 1
    else if (')]}'.includes(char)) {
      if (depth === 0) unpaired += 1
      else depth -= 1
    }
  }
  return unpaired + depth
}
