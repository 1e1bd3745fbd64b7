/**
 * Text of a seller for a person or a model: one line of at most `max` characters, without control characters and
 * marks that change the direction of what follows.
 */
export function toSellersWords(text: string, max: number): string {
  const plain = text.slice(0, 4 * max).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  const characters = [...plain.replaceAll(/\p{C}/gu, '').trim()]
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : characters.join('')
}
