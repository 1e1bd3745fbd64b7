import { randomUUID } from 'node:crypto'
import type { PaymentRequired } from '../../catalogue/challenge/payment-required.ts'

/** A part of a challenge that payments carry back; found by its letters, it need not be parsed and compared. */
export type Echo = {
  /** The member of the payment that it is, or is a member of. */
  readonly place: 'resource' | 'accepted' | 'extensions'
  readonly name: string
  readonly value: unknown
  /** The member as JSON without white space, as the clients of x402 write it. */
  readonly text: string
  /** What stands in for the value while the rest is parsed: a text that nobody outside knows. */
  readonly mark: string
}

/** Shorter ones are parsed as quickly as they are looked for. */
const SHORTEST_ECHO = 100

/** What of a challenge is long enough to be looked for. */
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
  ].filter(({ text }) => text.length >= SHORTEST_ECHO)
}

/** A JSON text with marks in the place of the echoes that it holds. */
export type CutJson = { readonly json: string; readonly cut: readonly Echo[] }

/**
 * Replaces the first occurrence of each echo. Where the result is JSON with the mark as the member that the echo is,
 * the text is the same JSON with the echo there: the name begins behind a brace or a comma, where no string can end
 * before a letter, and the mark can be there by the replacement alone. Any other result says nothing.
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

/** Puts the echoes back into what was parsed; false where a mark is not where its echo belongs. */
export function restoreEchoes(envelope: Record<string, unknown>, cut: readonly Echo[]): boolean {
  for (const { place, name, value, mark } of cut) {
    const holder = place === 'extensions' ? envelope.extensions : envelope
    // What JSON.parse has just made is ours to change.
    if (!isRecord(holder) || holder[name] !== mark) return false
    holder[name] = value
  }
  return true
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
