import type { Address, Hex } from './hex.ts'

/** An ABI word: the hex digits of an address or of bytes32 (with `0x`), or an unsigned integer. */
export type Word = string | bigint | number

/** 32-byte words, big-endian and left-padded, as hex digits without `0x`. */
export function encodeWords(words: readonly Word[]): string {
  let hex = ''
  for (const word of words)
    hex += (typeof word === 'string' ? word.slice(2) : word.toString(16)).padStart(64, '0')
  return hex
}

/** Length and content of dynamic bytes, padded to words. */
export function encodeBytes(data: Hex): string {
  const hex = data.slice(2)
  return encodeWords([hex.length / 2]) + hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')
}

/** One word, such as an address as the topic of a log. */
export function toWord(value: Word): Hex {
  return `0x${encodeWords([value])}`
}

/** The address in a word: the last 20 of its 32 bytes. */
export function addressOf(word: string): Address {
  return `0x${word.slice(26)}`
}
