/** Numbers in [0, 1), deterministic for a seed on every machine. */
export type Random = () => number

/** Mulberry32 (Tommy Ettinger, public domain): 32 bits of state, enough for a demo or a test. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
