/** Min and max number of arguments of each function. */
export const FUNCTIONS = {
  sqrt: [1, 1],
  cbrt: [1, 1],
  root: [2, 2],
  pow: [2, 2],
  powmod: [3, 3],
  exp: [1, 1],
  ln: [1, 1],
  log: [1, 2],
  log2: [1, 1],
  log10: [1, 1],
  sin: [1, 1],
  cos: [1, 1],
  tan: [1, 1],
  asin: [1, 1],
  acos: [1, 1],
  atan: [1, 1],
  atan2: [2, 2],
  sinh: [1, 1],
  cosh: [1, 1],
  tanh: [1, 1],
  asinh: [1, 1],
  acosh: [1, 1],
  atanh: [1, 1],
  abs: [1, 1],
  sign: [1, 1],
  floor: [1, 1],
  ceil: [1, 1],
  trunc: [1, 1],
  round: [1, 2],
  mod: [2, 2],
  min: [1, 100],
  max: [1, 100],
  gcd: [1, 100],
  lcm: [1, 100],
  factorial: [1, 1],
  gamma: [1, 1],
  nCr: [2, 2],
  nPr: [2, 2],
} as const satisfies Record<string, readonly [min: number, max: number]>

export type FunctionName = keyof typeof FUNCTIONS

/** Constants and their alternative spellings. */
export const CONSTANTS = {
  pi: 'pi',
  π: 'pi',
  tau: 'tau',
  τ: 'tau',
  e: 'e',
  phi: 'phi',
  φ: 'phi',
} as const

export type ConstantName = (typeof CONSTANTS)[keyof typeof CONSTANTS]

export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(FUNCTIONS, name)
}

export function findConstant(name: string): ConstantName | null {
  return Object.hasOwn(CONSTANTS, name) ? CONSTANTS[name as keyof typeof CONSTANTS] : null
}
