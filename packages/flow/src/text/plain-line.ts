/** Untrusted text for one line of a terminal: unusual characters escaped, cut to `max` characters. */
export function toPlainLine(text: string, max: number): string {
  const plain = text.replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`,
  )
  const characters = [...plain]
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : plain
}
