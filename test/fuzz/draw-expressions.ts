import { FUNCTIONS } from '@tollbook/calc/syntax/vocabulary'
import type { Random } from '@tollbook/devchain/demo-week/random'

/** Every function, with the numbers of arguments that it takes. */
const CALLS = Object.entries(FUNCTIONS).map(([name, [min, max]]) => ({ name, min, max: Math.min(max, 4) }))
/**
 * At the edges of what can be computed: near 0, 1 and multiples of pi, and beyond the representable range.
 */
const EDGES = [
  '0',
  '1',
  '-1',
  '2',
  '10',
  '0.5',
  '1/3',
  'pi',
  'e',
  'pi/2',
  '100',
  '20000',
  '1000000',
  '1e60000',
  '1e-60000',
  '10^-200',
  '1+10^-200',
  '1-10^-200',
  '10^200',
  '2^262143',
  '3^1000',
  '-0',
  '0.1',
  '-2/3',
  'pi+10^-300',
  '(-8)^(1/3)',
  '50%',
  'sqrt(2)',
  '170!',
  '9999999999999999999999',
]
const UNITS = [
  'm',
  'ft',
  'km/h',
  'degC',
  'degF',
  'K',
  'kg',
  'lb',
  'm^2',
  'J',
  's',
  'mmHg',
  'Btu',
  'inch',
  'deg',
]
const OPERATORS = ['+', '-', '*', '/', '//', ' mod ', '^', '%', ' per ', ' of ', '·', '÷']
const COMPARISONS = ['<', '<=', '>', '>=', '=', '!=', '==']
/** Fragments as a typing error leaves them. */
const SLIPS = [
  '(',
  ')',
  ',',
  '^',
  '!',
  '!!',
  ' ',
  '.',
  '..',
  'e',
  '"',
  '\\',
  '\u0000',
  '²',
  'π',
  '∞',
  '+-',
  ' to ',
]
const MAX_DEPTH = 4

/** Draws an expression: mostly a valid one, sometimes with a unit, a comparison or a typing error. */
export function drawExpression(random: Random): string {
  const drawn = drawTerm(random, MAX_DEPTH)
  const chance = random()
  if (chance < 0.1) return `${drawn}${pick(random, COMPARISONS)}${drawTerm(random, 2)}`
  if (chance < 0.2) return `${drawn} ${pick(random, UNITS)} to ${pick(random, UNITS)}`
  if (chance < 0.35) return misspell(random, drawn)
  return drawn
}

function drawTerm(random: Random, depth: number): string {
  const chance = depth === 0 ? 0 : random()
  if (chance < 0.25) return drawNumber(random)
  if (chance < 0.3) return `${drawNumber(random)} ${pick(random, UNITS)}`
  if (chance < 0.55)
    return `(${drawTerm(random, depth - 1)}${pick(random, OPERATORS)}${drawTerm(random, depth - 1)})`
  if (chance < 0.6) return `(${drawTerm(random, depth - 1)})${pick(random, ['!', '!!', '%', '²', '^-1'])}`
  if (chance < 0.65) return `-${drawTerm(random, depth - 1)}`
  const { name, min, max } = pick(random, CALLS)
  const count = min + Math.floor(random() * (max - min + 1))
  return `${name}(${Array.from({ length: count }, () => drawTerm(random, depth - 1)).join(',')})`
}

function drawNumber(random: Random): string {
  const chance = random()
  if (chance < 0.5) return pick(random, EDGES)
  if (chance < 0.7) return String(Math.floor(random() * 1_000))
  if (chance < 0.85)
    return `${random() < 0.5 ? '-' : ''}${(random() * 10).toFixed(Math.floor(random() * 12))}`
  const digits = Math.floor(random() * 60) + 1
  return Array.from({ length: digits }, () => Math.floor(random() * 10)).join('')
}

/** Removes, repeats or inserts something at one place. */
function misspell(random: Random, text: string): string {
  const at = Math.floor(random() * text.length)
  const chance = random()
  if (chance < 0.3) return text.slice(0, at) + text.slice(at + 1)
  if (chance < 0.5) return text.slice(0, at) + text.slice(Math.floor(at / 2))
  return text.slice(0, at) + pick(random, SLIPS) + text.slice(at)
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}
