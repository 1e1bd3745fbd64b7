/** Byte offsets in the module's memory. */
export const LAYOUT = { state: 0, stateBytes: 200, roundConstants: 200, input: 512, blockBytes: 136 } as const

/**
 * Constants of Keccak-f[1600] (FIPS 202 section 3.2; keccak.team/keccak_specs_summary.html): the 24 round
 * constants of iota, and the rotation of rho for each lane x + 5y.
 */
const ROUND_CONSTANTS = [
  0x0000000000000001n,
  0x0000000000008082n,
  0x800000000000808an,
  0x8000000080008000n,
  0x000000000000808bn,
  0x0000000080000001n,
  0x8000000080008081n,
  0x8000000000008009n,
  0x000000000000008an,
  0x0000000000000088n,
  0x0000000080008009n,
  0x000000008000000an,
  0x000000008000808bn,
  0x800000000000008bn,
  0x8000000000008089n,
  0x8000000000008003n,
  0x8000000000008002n,
  0x8000000000000080n,
  0x000000000000800an,
  0x800000008000000an,
  0x8000000080008081n,
  0x8000000000008080n,
  0x0000000080000001n,
  0x8000000080008008n,
]
const ROTATIONS = [
  0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
]

/** Instructions of the WebAssembly core specification, section 5.4. */
const OP = {
  loop: 0x03,
  end: 0x0b,
  branchIf: 0x0d,
  get: 0x20,
  set: 0x21,
  load64: 0x29,
  store64: 0x37,
  const32: 0x41,
  const64: 0x42,
  unequal32: 0x47,
  add32: 0x6a,
  subtract32: 0x6b,
  and64: 0x83,
  xor64: 0x85,
  rotateLeft64: 0x89,
} as const
const TYPE = { i32: 0x7f, i64: 0x7e, function: 0x60, none: 0x40 } as const
const MEMORY_PAGES = 4

/** Local variables of the function: its parameter, then 32-bit variables, then lanes. */
const BLOCKS = 0
const INPUT = 1
const ROUND = 2
const A = 3
const B = A + 25
const C = B + 25
const D = C + 5

/** `\0asm`, version 1. */
const MAGIC_AND_VERSION = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]

/**
 * The bytes of a module that exports `memory` and `hash(blocks)`, which absorbs blocks starting at
 * `LAYOUT.input`.
 */
export function buildKeccakModule(): Uint8Array<ArrayBuffer> {
  const constants = new Uint8Array(new BigUint64Array(ROUND_CONSTANTS).buffer)
  const locals = [2, ...leb(2), TYPE.i32, ...leb(D + 1 - A), TYPE.i64]
  const body = [...locals, ...buildHash(), OP.end]
  return Uint8Array.from([
    ...MAGIC_AND_VERSION,
    ...section(1, [1, TYPE.function, 1, TYPE.i32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, MEMORY_PAGES]),
    ...section(7, [2, ...name('memory'), 2, 0, ...name('hash'), 0, 0]),
    ...section(10, [1, ...leb(body.length), ...body]),
    ...section(11, [
      1,
      0,
      OP.const32,
      ...leb(LAYOUT.roundConstants, true),
      OP.end,
      ...leb(constants.length),
      ...constants,
    ]),
  ])
}

function buildHash(): number[] {
  const lanes = Array.from({ length: 25 }, (_, at) => at)
  const absorbed = lanes.slice(0, LAYOUT.blockBytes / 8)
  const everyBlock = [
    ...absorbed.flatMap((at) => [
      ...get(A + at),
      ...get(INPUT),
      OP.load64,
      3,
      ...leb(LAYOUT.input + at * 8),
      OP.xor64,
      ...set(A + at),
    ]),
    OP.const32,
    0,
    ...set(ROUND),
    OP.loop,
    TYPE.none,
    ...buildRound(),
    ...step(ROUND, 8),
    ...until(ROUND, 24 * 8),
    OP.end,
    ...step(INPUT, LAYOUT.blockBytes),
    // Decrements the number of blocks, and loops while there are any left.
    ...get(BLOCKS),
    OP.const32,
    1,
    OP.subtract32,
    ...set(BLOCKS),
    ...get(BLOCKS),
    OP.branchIf,
    0,
  ]
  return [
    OP.loop,
    TYPE.none,
    ...everyBlock,
    OP.end,
    ...lanes.flatMap((at) => [OP.const32, 0, ...get(A + at), OP.store64, 3, ...leb(at * 8)]),
  ]
}

/** The steps theta, rho, pi, chi and iota on the lanes A, using B, C and D. */
function buildRound(): number[] {
  const code: number[] = []
  for (let x = 0; x < 5; x++) {
    code.push(...get(A + x))
    for (let y = 1; y < 5; y++) code.push(...get(A + x + 5 * y), OP.xor64)
    code.push(...set(C + x))
  }
  for (let x = 0; x < 5; x++) {
    code.push(...get(C + ((x + 4) % 5)), ...get(C + ((x + 1) % 5)), OP.const64, 1, OP.rotateLeft64, OP.xor64)
    code.push(...set(D))
    for (let y = 0; y < 5; y++) {
      const from = x + 5 * y
      const to = y + 5 * ((2 * x + 3 * y) % 5)
      code.push(...get(A + from), ...get(D), OP.xor64)
      code.push(OP.const64, ...leb(ROTATIONS[from] ?? 0, true), OP.rotateLeft64, ...set(B + to))
    }
  }
  for (let y = 0; y < 5; y++)
    for (let x = 0; x < 5; x++) {
      const lane = (of: number) => get(B + (of % 5) + 5 * y)
      // XOR with -1 inverts every bit.
      code.push(...lane(x), ...lane(x + 1), OP.const64, ...leb(-1, true), OP.xor64)
      code.push(...lane(x + 2), OP.and64, OP.xor64, ...set(A + x + 5 * y))
    }
  const constant = [...get(ROUND), OP.load64, 3, ...leb(LAYOUT.roundConstants)]
  code.push(...get(A), ...constant, OP.xor64, ...set(A))
  return code
}

function get(local: number): number[] {
  return [OP.get, ...leb(local)]
}

function set(local: number): number[] {
  return [OP.set, ...leb(local)]
}

function step(local: number, by: number): number[] {
  return [...get(local), OP.const32, ...leb(by, true), OP.add32, ...set(local)]
}

/** Branches to the beginning of the loop unless the variable has reached the end. */
function until(local: number, end: number): number[] {
  return [...get(local), OP.const32, ...leb(end, true), OP.unequal32, OP.branchIf, 0]
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...leb(content.length), ...content]
}

function name(text: string): number[] {
  return [text.length, ...Buffer.from(text)]
}

/** LEB128, unsigned by default. */
function leb(value: number, isSigned = false): number[] {
  const bytes: number[] = []
  let rest = value
  for (;;) {
    const byte = rest & 0x7f
    rest >>= 7
    const isLast = isSigned ? (rest === 0 && byte < 0x40) || (rest === -1 && byte >= 0x40) : rest === 0
    bytes.push(isLast ? byte : byte | 0x80)
    if (isLast) return bytes
  }
}
