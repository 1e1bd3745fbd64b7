import { spawnSync } from 'node:child_process'
import { createRandom } from '@tollbook/devchain/demo-week/random'

/** One expression in the syntax of /api/calc and of PARI/GP. */
export type PariCase = { readonly ours: string; readonly pari: string }

/** More than twice the compared digits, to allow for cancellation. */
const WORKING_DIGITS = 120
const PRINTED_DIGITS = 80
/** Of one run: 20,000 values have 2 MB. */
const MAX_OUTPUT_BYTES = 100_000_000

/** The values of all cases to 81 digits, as `d.ddd e<exponent>`, by one run of PARI/GP. */
export function askPari(cases: readonly PariCase[]): readonly string[] {
  const lines = cases.map(({ pari }) => `printf("%.${PRINTED_DIGITS}e\\n", 1.*(${pari}));`)
  const program = `default(realprecision,${WORKING_DIGITS});default(parisizemax,"1G");\n${lines.join('\n')}\n`
  const { stdout, stderr } = spawnSync('gp', ['-q', '-f'], {
    input: program,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
  })
  const values = stdout.trim().split('\n')
  if (values.length !== cases.length)
    throw new Error(`PARI/GP returned ${values.length} values: ${stderr.slice(0, 500)}`)
  return values
}

/** Rounds a value of PARI/GP half away from 0: `1.2345 e3` to two digits is `1.2e3`. */
export function roundPari(value: string, digits: number): string {
  if (/^0\.?(e-?\d+)?$/.test(value)) return '0e0'
  const match = /^(-?)(\d)\.(\d+) e(-?\d+)$/.exec(value)
  if (!match) throw new Error(`not a value of PARI/GP: ${value}`)
  const [, sign = '', first = '', rest = '', exponent = ''] = match
  const scale = 10n ** BigInt(rest.length + 1 - digits)
  const rounded = ((BigInt(first + rest) * 2n + scale) / (2n * scale)).toString()
  if (/^0+$/.test(rounded)) return '0e0'
  return `${sign}${rounded.charAt(0)}.${rounded.slice(1, digits)}e${Number(exponent) + rounded.length - digits}`
}

/** Number of cases for each kind of operation of the calculator. */
export function makePariCases(count: number, seed: number): readonly PariCase[] {
  const make = new CaseMaker(createRandom(seed))
  return Array.from({ length: count }, (_, index) => make.case(index))
}

type Choice = readonly [name: string, pari: string, argument: (make: CaseMaker) => PariCase]

const anywhere = (make: CaseMaker) => make.decimal(-3, 4)
const positive = (make: CaseMaker) => make.positive(-8, 12)
const inside = (make: CaseMaker) => make.decimal(-12, 0)
const above = (make: CaseMaker) => plus('1', make.positive(-10, 3))

const FUNCTIONS: readonly Choice[] = [
  ['sqrt', 'sqrt', positive],
  ['cbrt', 'sqrtn', positive],
  ['exp', 'exp', anywhere],
  ['ln', 'log', positive],
  ['sin', 'sin', anywhere],
  ['cos', 'cos', anywhere],
  ['tan', 'tan', anywhere],
  ['asin', 'asin', inside],
  ['acos', 'acos', inside],
  ['atan', 'atan', anywhere],
  ['sinh', 'sinh', anywhere],
  ['cosh', 'cosh', anywhere],
  ['tanh', 'tanh', inside],
  ['asinh', 'asinh', anywhere],
  ['acosh', 'acosh', above],
  ['atanh', 'atanh', inside],
  ['gamma', 'gamma', (make) => plus('1/3', make.decimal(-2, 2))],
]

function plus(constant: string, { ours, pari }: PariCase): PariCase {
  return { ours: `(${constant}+${ours})`, pari: `(${constant}+${pari})` }
}

class CaseMaker {
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  case(index: number): PariCase {
    const kinds = [
      () => this.#call(),
      () => this.#call(),
      () => this.#power(),
      () => this.#logarithm(),
      () => this.#whole(),
      () => this.#tree(3),
    ]
    return (kinds[index % kinds.length] ?? (() => this.#call()))()
  }

  /** A decimal with up to 20 digits and an exponent of ten in the range, with either sign. */
  decimal(min: number, max: number): PariCase {
    const sign = this.#random() < 0.5 ? '-' : ''
    const { ours, pari } = this.positive(min, max)
    return { ours: `(${sign}${ours})`, pari: `(${sign}${pari})` }
  }

  positive(min: number, max: number): PariCase {
    const length = 1 + this.#below(20)
    const digits =
      Array.from({ length }, () => this.#below(10))
        .join('')
        .replace(/^0+/, '') || '7'
    const exponent = min + this.#below(max - min)
    // 0.digits · 10^exponent, as a decimal here and as a fraction in PARI/GP, which would round decimals.
    const shift = exponent - digits.length
    return { ours: `${digits}e${shift}`, pari: `(${digits}*10^(${shift}))` }
  }

  #call(): PariCase {
    const [name, pari, argument] = this.#pick(FUNCTIONS)
    const x = argument(this)
    if (pari === 'sqrtn') return { ours: `${name}(${x.ours})`, pari: `sqrtn(${x.pari}*1.,3)` }
    return { ours: `${name}(${x.ours})`, pari: `${pari}(${x.pari})` }
  }

  #power(): PariCase {
    const [x, y] = [this.positive(-3, 4), this.decimal(-3, 3)]
    return { ours: `${x.ours}^${y.ours}`, pari: `${x.pari}^${y.pari}` }
  }

  #logarithm(): PariCase {
    const [x, y] = [this.positive(-8, 12), plus('2', this.positive(-3, 4))]
    if (this.#random() < 0.5)
      return { ours: `log(${x.ours}, ${y.ours})`, pari: `log(${x.pari})/log(${y.pari})` }
    const [one, other] = [this.decimal(-3, 4), this.decimal(-3, 4)]
    return { ours: `atan2(${one.ours}, ${other.ours})`, pari: `arg(${other.pari}+I*${one.pari})` }
  }

  #whole(): PariCase {
    const [n, k] = [this.#below(400), this.#below(60)]
    const [a, b] = [this.#integer(), this.#integer()]
    return this.#pick([
      { ours: `${n}!`, pari: `${n}!` },
      { ours: `nCr(${n}, ${k})`, pari: `binomial(${n},${k})` },
      { ours: `${a}^${k}`, pari: `${a}^${k}` },
      { ours: `-${a} mod ${b}`, pari: `(-${a})%${b}` },
      { ours: `-${a} // ${b}`, pari: `floor(-${a}/${b})` },
      { ours: `gcd(${a}*${n + 1}, ${b}*${n + 1})`, pari: `gcd(${a}*${n + 1},${b}*${n + 1})` },
      { ours: `lcm(${a}, ${b})`, pari: `lcm(${a},${b})` },
      { ours: `${a}^${b} mod ${a + b}`, pari: `lift(Mod(${a},${a + b})^${b})` },
      { ours: `${a}/${b} - ${b}/${a}`, pari: `${a}/${b}-${b}/${a}` },
    ])
  }

  /** A tree of operators over decimals and functions that are defined everywhere. */
  #tree(depth: number): PariCase {
    if (depth === 0) return this.decimal(-3, 3)
    const [x, y] = [this.#tree(depth - 1), this.#tree(depth - 1)]
    const operator = this.#pick(['+', '-', '*', '/', 'f'] as const)
    if (operator !== 'f')
      return { ours: `(${x.ours}${operator}${y.ours})`, pari: `(${x.pari}${operator}${y.pari})` }
    return this.#pick([
      { ours: `sin(${x.ours})`, pari: `sin(${x.pari})` },
      { ours: `atan(${x.ours})`, pari: `atan(${x.pari})` },
      { ours: `sqrt(abs(${x.ours}))`, pari: `sqrt(abs(${x.pari}))` },
      { ours: `ln(1+abs(${x.ours}))`, pari: `log(1+abs(${x.pari}))` },
      { ours: `exp(cos(${x.ours}))`, pari: `exp(cos(${x.pari}))` },
    ])
  }

  #integer(): bigint {
    return BigInt(1 + this.#below(1_000_000_000)) * BigInt(1 + this.#below(1_000_000))
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[this.#below(items.length)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }
}
