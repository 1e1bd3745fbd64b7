/** Splits text into lower-case words: runs of Unicode letters, marks, digits and underscores. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? []
}

export function countWords(text: string): number {
  return wordsOf(text).length
}
