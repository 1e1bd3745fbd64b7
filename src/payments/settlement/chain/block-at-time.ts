import { type Chain, readBlock } from './chain.ts'

/**
 * The first block whose time is at or after `seconds` (epoch); the newest block if all are earlier. Searches
 * by interpolation between known blocks: evenly spaced blocks need about five reads, uneven ones at most 64.
 */
export async function findBlockAtTime(chain: Chain, seconds: number, signal?: AbortSignal): Promise<number> {
  const newest = await readBlock(chain, 'latest', signal)
  if (newest.timestamp <= seconds) return newest.number
  let low: Place = await readBlock(chain, 0, signal)
  if (low.timestamp >= seconds) return 0
  let high: Place = newest
  // Invariant: low is before the moment, high at or after it.
  for (let step = 0; high.number - low.number > 1; step++) {
    const middle = await readBlock(chain, guess(low, high, seconds, step), signal)
    if (middle.timestamp < seconds) low = middle
    else high = middle
  }
  return high.number
}

type Place = { readonly number: number; readonly timestamp: number }

/** Interpolates on even steps and halves on odd ones, which limits the number of steps on uneven blocks. */
function guess(low: Place, high: Place, seconds: number, step: number): number {
  const share = step % 2 === 0 ? (seconds - low.timestamp) / (high.timestamp - low.timestamp) : 0.5
  const number = low.number + Math.round((high.number - low.number) * share)
  return Math.min(high.number - 1, Math.max(low.number + 1, number))
}
