import { createRandom } from '@tollbook/devchain/demo-week/random'
import { drawConversion, drawFeetAndInches, drawMixedQuantity, drawTemperature } from './draw-quantities.ts'
import { drawRefused } from './draw-refused.ts'
import type { TypedCase } from './typed-case.ts'
import { TypedPen } from './typed-pen.ts'

type Draw = (pen: TypedPen) => TypedCase

/** Typed-style expressions of every form; the same for the same seed. */
export function drawTyped(count: number, seed: number): readonly TypedCase[] {
  const pen = new TypedPen(createRandom(seed))
  const seen = new Set<string>()
  const cases: TypedCase[] = []
  while (cases.length < count) {
    const drawn = (DRAWS[cases.length % DRAWS.length] ?? drawSum)(pen)
    if (seen.has(drawn.typed) && pen.chance(0.9)) continue
    seen.add(drawn.typed)
    cases.push(drawn)
  }
  return cases
}

const DRAWS: readonly Draw[] = [
  drawSum,
  drawConversion,
  drawPercentage,
  drawConversion,
  drawMoney,
  drawFunction,
  drawMixedQuantity,
  drawList,
  drawConversion,
  drawCombination,
  drawSum,
  drawFeetAndInches,
  drawPower,
  drawTemperature,
  drawRefused,
  drawPercentTarget,
]

/** A case whose result has no unit or the unit of money. */
function plainCase(form: string, typed: string, value: string, unit: string | null = null): TypedCase {
  return { form, typed, pari: value, gnu: [value, '1'], unit }
}

const OPERATORS = [
  ['+', ['+', 'plus']],
  ['-', ['-', '−', 'minus']],
  ['*', ['*', '×', 'x', 'times', '·']],
  ['/', ['/', '÷', 'divided by']],
] as const

/** `3 + 4 x 5 =`. */
function drawSum(pen: TypedPen): TypedCase {
  const isTight = pen.chance(0.3)
  const term = () => (isTight ? pen.pick([pen.whole(), pen.decimal()]) : pen.amount())
  let { typed, value } = term()
  for (let left = pen.between(1, 3); left > 0; left--) {
    const [symbol, spellings] = pen.pick(OPERATORS)
    const next = term()
    const spelled = isTight
      ? pen.pick(symbol === '*' ? ['*', '×', 'x'] : [symbol])
      : ` ${pen.pick(spellings)} `
    const isGroup = pen.chance(0.15)
    typed = isGroup ? `(${typed})${spelled}${next.typed}` : `${typed}${spelled}${next.typed}`
    value = isGroup ? `(${value})${symbol}${next.value}` : `${value}${symbol}${next.value}`
  }
  // Dates and telephone numbers have their own form.
  if (/\d[/-]\d+[/-]\d|^\d{3}-\d{4}$/.test(typed)) return drawSum(pen)
  return plainCase('arithmetic', `${typed}${pen.pick(['', '', '', '=', ' =', ' = ?'])}`, value)
}

function drawPercentage(pen: TypedPen): TypedCase {
  const [base, rate] = [pen.amount(), pen.pick([pen.whole(), pen.decimal()])]
  const [sign, unit] = pen.pick([
    ['', null],
    ['', null],
    ['$', 'USD'],
    ['€', 'EUR'],
  ] as const)
  const share = `${rate.value}/100`
  const money = `${sign}${base.typed}`
  const [form, typed, value] = pen.pick([
    ['percent added', `${money} + ${rate.typed}%`, `${base.value}*(1+${share})`],
    [
      'percent added',
      `${money} + ${rate.typed}% ${pen.pick(['tip', 'tax', 'VAT'])}`,
      `${base.value}*(1+${share})`,
    ],
    ['percent taken', `${money} - ${rate.typed}%`, `${base.value}*(1-${share})`],
    ['percent off', `${rate.typed}% off ${money}`, `${base.value}*(1-${share})`],
    ['percent of', `${rate.typed}% of ${money}`, `${base.value}*${share}`],
    ['percent of', `${rate.typed} percent of ${money}`, `${base.value}*${share}`],
  ] as const)
  return plainCase(form, typed, value, unit)
}

function drawMoney(pen: TypedPen): TypedCase {
  const [sign, unit] = pen.pick([
    ['$', 'USD'],
    ['€', 'EUR'],
    ['£', 'GBP'],
  ] as const)
  const [one, other, n] = [pen.amount(), pen.pick([pen.decimal(), pen.grouped()]), pen.whole(2)]
  const [typed, value] = pen.pick([
    [`${sign}${one.typed} * ${n.typed}`, `${one.value}*${n.value}`],
    [`${sign}${other.typed}*${n.typed}`, `${other.value}*${n.value}`],
    [`${n.typed} x ${sign}${one.typed}`, `${n.value}*${one.value}`],
    [`${sign}${one.typed} + ${sign}${other.typed}`, `${one.value}+${other.value}`],
    [`${sign}${one.typed} / ${n.typed}`, `${one.value}/${n.value}`],
    [`${other.typed} ${sign} - ${one.typed} ${sign}`, `${other.value}-${one.value}`],
    [`${other.typed} ${unit} / ${n.typed}`, `${other.value}/${n.value}`],
  ] as const)
  return plainCase('money', typed, value, unit)
}

/** A function with and without parentheses, and roots. */
function drawFunction(pen: TypedPen): TypedCase {
  const [n, angle] = [pen.pick([pen.whole(2, 900), pen.decimal()]), pen.whole(1, 89)]
  const degrees = pen.pick([`${angle.typed} deg`, `${angle.typed}°`, `${angle.typed} degrees`])
  const turned = { pari: `(${angle.value}*Pi/180)`, gnu: `(${angle.value} degree)` }
  const [name, typed] = pen.pick([
    ['sqrt', `√${n.typed}`],
    ['sqrt', `sqrt ${n.typed}`],
    ['sqrt', `sqrt(${n.typed})`],
    ['sqrt', `square root of ${n.typed}`],
    ['ln', `ln ${n.typed}`],
    ['log', `log ${n.typed}`],
    ['log', `log(${n.typed})`],
    ['sin', `sin ${degrees}`],
    ['cos', `cos ${degrees}`],
    ['tan', `tan(${degrees})`],
    ['sin', `SIN(${degrees})`],
  ] as const)
  const isAngle = name === 'sin' || name === 'cos' || name === 'tan'
  const more = pen.pick([
    ['', ''],
    ['', ''],
    [' + 1', '+1'],
    [' - 0.5', '-(1/2)'],
  ] as const)
  return {
    form: 'function',
    typed: `${typed}${more[0]}`,
    pari: `${pariOf(name, isAngle ? turned.pari : n.value)}${more[1]}`,
    gnu: [`${name}(${isAngle ? turned.gnu : n.value})${more[1]}`, '1'],
    unit: null,
  }
}

/** PARI/GP calls the natural logarithm `log`, and has no other. */
function pariOf(name: string, argument: string): string {
  if (name === 'ln') return `log(${argument})`
  return name === 'log' ? `log(${argument})/log(10)` : `${name}(${argument})`
}

/** `mean(3, 5, 8)` and `hypot(3, 4)`. */
function drawList(pen: TypedPen): TypedCase {
  const numbers = Array.from({ length: pen.between(2, 6) }, () =>
    pen.pick([pen.whole(1, 999), pen.decimal()]),
  )
  const values = numbers.map(({ value }) => value)
  const sum = `(${values.join('+')})`
  const ordered = values.toSorted((a, b) => evaluateRatio(a) - evaluateRatio(b))
  const middle = [ordered[(values.length - 1) >> 1], ordered[values.length >> 1]]
  const [x = '0', y = '0'] = values
  const [name, value, count] = pen.pick([
    ['sum', sum, values.length],
    ['mean', `${sum}/${values.length}`, values.length],
    ['average', `${sum}/${values.length}`, values.length],
    ['avg', `${sum}/${values.length}`, values.length],
    ['SUM', sum, values.length],
    ['median', `(${middle.join('+')})/2`, values.length],
    ['max', ordered.at(-1) ?? '0', values.length],
    ['min', ordered[0] ?? '0', values.length],
    ['hypot', `sqrt(${x}^2+${y}^2)`, 2],
  ] as const)
  const list = numbers.slice(0, count).map(({ typed }) => typed)
  return plainCase('list', `${name}(${list.join(pen.pick([', ', ',']))})`, value)
}

/** The value of `12` or `(5/4)`, for the order alone. */
function evaluateRatio(value: string): number {
  const [numerator = '0', denominator = '1'] = value.replaceAll(/[()]/g, '').split('/')
  return Number(numerator) / Number(denominator)
}

function drawCombination(pen: TypedPen): TypedCase {
  const n = pen.between(2, 40)
  const k = pen.between(1, n)
  const product = (count: number) => Array.from({ length: count }, (_, at) => `${n - at}`).join('*')
  const factorial = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1}`).join('*')
  const [typed, pari, gnu] = pen.pick([
    [`${n}C${k}`, `binomial(${n},${k})`, `(${product(k)})/(${factorial(k)})`],
    [`${n} choose ${k}`, `binomial(${n},${k})`, `(${product(k)})/(${factorial(k)})`],
    [`nCr(${n}, ${k})`, `binomial(${n},${k})`, `(${product(k)})/(${factorial(k)})`],
    [`${n}P${k}`, `${n}!/(${n - k})!`, product(k)],
    [`${n}!`, `${n}!`, factorial(n)],
    [`${n * 7} mod ${k + 1}`, `(${n * 7})%${k + 1}`, `${n * 7}-${k + 1}*floor(${n * 7}/${k + 1})`],
  ] as const)
  return { form: 'combination', typed, pari, gnu: [gnu, '1'], unit: null }
}

function drawPower(pen: TypedPen): TypedCase {
  const [n, k] = [pen.pick([pen.whole(2, 30), pen.decimal()]), pen.between(2, 9)]
  const superscript = '⁰¹²³⁴⁵⁶⁷⁸⁹'.charAt(k)
  const [typed, value] = pen.pick([
    [`${n.typed}^${k}`, `${n.value}^${k}`],
    [`${n.typed}**${k}`, `${n.value}^${k}`],
    [`${n.typed}${superscript}`, `${n.value}^${k}`],
    [`${n.typed} x 10^${k}`, `${n.value}*10^${k}`],
    [`${n.typed} × 10${superscript}`, `${n.value}*10^${k}`],
    [`${n.typed} squared`, `${n.value}^2`],
    [`${n.typed}e${k}`, `${n.value}*10^${k}`],
    [`-${n.typed}^2`, `-(${n.value}^2)`],
  ] as const)
  return plainCase('power', typed, value)
}

/** `0.25 to %`. */
function drawPercentTarget(pen: TypedPen): TypedCase {
  const [numerator, denominator] = [pen.between(1, 20), pen.pick([3, 4, 5, 7, 8, 16])]
  const value = `(${numerator}/${denominator})`
  const decimal = pen.decimal()
  const [typed, amount] = pen.pick([
    [`${numerator}/${denominator}`, value],
    [decimal.typed, decimal.value],
  ] as const)
  const target = pen.pick([' to %', ' in %', ' as %', ' to percent', ' as a percentage'])
  return { form: 'to percent', typed: `${typed}${target}`, pari: `${amount}*100`, gnu: [amount, '0.01'] }
}
