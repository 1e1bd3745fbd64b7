import { randomUUID } from 'node:crypto'
import { isRecord } from '@tollbook/flow/is-record'
import type { PaymentRequired } from '../challenge/payment-required.ts'

/** A part of a challenge that payments send back. Found by string search, it need not be parsed and compared. */
export type Echo = {
  /** The member of the payment that it is, or that contains it. */
  readonly place: 'resource' | 'accepted' | 'extensions'
  readonly name: string
  readonly value: unknown
  /** The member as JSON without white space, as x402 clients write it. */
  readonly text: string
  /** Replaces the value while the rest is parsed: a string that nobody outside can guess. */
  readonly mark: string
}

/** Parsing shorter ones is as fast as searching for them. */
const MIN_ECHO_LENGTH = 100

/** Returns the parts of a challenge that are long enough to be worth a search. */
export function createEchoes({
  resource,
  accepts,
  extensions,
}: Pick<PaymentRequired, 'resource' | 'accepts' | 'extensions'>): readonly Echo[] {
  const toEcho = (place: Echo['place'], name: string, value: unknown): Echo => {
    const text = `${JSON.stringify(name)}:${JSON.stringify(value)}`
    return { place, name, value, text, mark: randomUUID() }
  }
  return [
    toEcho('resource', 'resource', resource),
    ...accepts.map((terms) => toEcho('accepted', 'accepted', terms)),
    ...Object.entries(extensions).map(([name, value]) => toEcho('extensions', name, value)),
  ].filter(({ text }) => text.length >= MIN_ECHO_LENGTH)
}

/** A JSON text with marks in place of the echoes that it contained. */
export type CutJson = { readonly json: string; readonly cut: readonly Echo[] }

/**
 * Replaces the first occurrence of each echo. If the result parses as JSON with the mark as the echo's
 * member, the text is the same JSON with the echo in that place: the name follows a brace or a comma, where
 * no string can end before a letter, and the mark can only come from the replacement. Any other result proves
 * nothing.
 */
export function cutEchoes(json: string, echoes: readonly Echo[]): CutJson {
  const cut: Echo[] = []
  let rest = json
  for (const echo of echoes) {
    const at = rest.indexOf(echo.text)
    const before = rest[at - 1]
    if (at < 0 || (before !== ',' && before !== '{')) continue
    const mark = `${JSON.stringify(echo.name)}:"${echo.mark}"`
    rest = rest.slice(0, at) + mark + rest.slice(at + echo.text.length)
    cut.push(echo)
  }
  return { json: rest, cut }
}

/** Puts the echoes back into the parsed value; false if a mark is not where its echo belongs. */
export function restoreEchoes(envelope: Record<string, unknown>, cut: readonly Echo[]): boolean {
  for (const { place, name, value, mark } of cut) {
    const holder = place === 'extensions' ? envelope.extensions : envelope
    // Safe to modify: JSON.parse has just created it.
    if (!isRecord(holder) || holder[name] !== mark) return false
    holder[name] = value
  }
  return true
}
