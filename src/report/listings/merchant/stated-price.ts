import { type AtomicUsdc, parseUsd } from '../../../money/usdc.ts'

/** Reads `0.01`, `$0.01`, `0.01 USD` or a number; null for anything else and more than six decimals. */
export function parseStatedPrice(value: unknown): AtomicUsdc | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const match = /^\$?\s*(\d{1,9}(?:\.\d{1,6}0*)?)\s*(?:USDC?|\$)?$/i.exec(String(value).trim())
  if (!match?.[1]) return null
  const [whole = '0', fraction = ''] = match[1].split('.')
  return parseUsd(fraction === '' ? whole : `${whole}.${fraction.slice(0, 6)}`)
}
