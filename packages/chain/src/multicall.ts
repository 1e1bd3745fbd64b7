import { InvalidAnswer } from '@tollbook/flow/failure'
import type { Address, Hex } from './hex.ts'
import { encodeBytes, encodeWords } from './words.ts'

export type ContractCall = { readonly to: Address; readonly data: Hex }

// A general encoder takes about 20 times as long.

/** tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls); the test derives it. */
const SELECTOR = '0xbce38bd7'
/** Bytes of a word. */
const WORD = 32
/** Hex digits of a word. */
const DIGITS = 64

/** Multicall3's tryAggregate: every call may fail on its own. Its aggregate3 takes 140 gas more for each call. */
export function encodeAggregate(calls: readonly ContractCall[]): Hex {
  const items = calls.map(({ to, data }) => encodeWords([to, 2 * WORD]) + encodeBytes(data))
  let offset = calls.length * WORD
  const offsets = items.map((item) => {
    const at = offset
    offset += item.length / 2
    return at
  })
  return `${SELECTOR}${encodeWords([0, 2 * WORD, calls.length, ...offsets])}${items.join('')}`
}

/**
 * Decodes for each call of a tryAggregate whether it succeeded, and what it returned.
 * @throws InvalidAnswer if the chain has no Multicall3.
 */
export function decodeAggregate(returned: Hex): readonly { readonly isOk: boolean; readonly data: Hex }[] {
  const hex = returned.slice(2)
  /** The number at a byte; those of a valid answer are within it. */
  const numberAt = (byte: number): number => {
    const word = hex.slice(byte * 2, byte * 2 + DIGITS)
    const value = Number.parseInt(word, 16)
    if (word.length !== DIGITS || !(value <= hex.length)) throw new InvalidAnswer(NO_MULTICALL)
    return value
  }
  const array = numberAt(0)
  const first = array + WORD
  return Array.from({ length: numberAt(array) }, (_, at) => {
    const item = first + numberAt(first + at * WORD)
    const bytes = item + numberAt(item + WORD)
    const start = (bytes + WORD) * 2
    const data = hex.slice(start, start + numberAt(bytes) * 2)
    if (data.length !== numberAt(bytes) * 2) throw new InvalidAnswer(NO_MULTICALL)
    return { isOk: numberAt(item) === 1, data: `0x${data}` }
  })
}

const NO_MULTICALL = 'the chain lacks Multicall3 at the expected address'
