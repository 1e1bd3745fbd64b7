/**
 * Untrusted text on one line of a terminal, without control over it: characters that are not plain are
 * escaped, and text longer than `max` characters is cut.
 */
export function toPlainLine(text: string, max: number): string {
  const plain = text.replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`,
  )
  const characters = [...plain]
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : plain
}
