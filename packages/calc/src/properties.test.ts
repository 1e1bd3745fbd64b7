import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { CALC_BUDGET } from '@tollbook/testing/utility/calculator'
import { CalcError } from './calc-error.ts'
import { calculate } from './calculate.ts'
import type { Node } from './syntax/node.ts'
import { printNode } from './syntax/node.ts'
import { parseExpression } from './syntax/parse.ts'

const ask = (expression: string) => calculate(expression, { angle: 'rad', budget: CALC_BUDGET })

function exactly(expression: string): string {
  const { fraction, result, exact } = ask(expression)
  assert.ok(exact, expression)
  return fraction ?? result
}

const whole = fc.bigInt(-(10n ** 12n), 10n ** 12n)
const fraction = fc.tuple(whole, fc.bigInt(1n, 10n ** 9n)).map(([p, q]) => `(${p}/${q})`)
const nonZero = fraction.filter((text) => !text.startsWith('(0/'))

test('fractions satisfy the field axioms', () => {
  fc.assert(
    fc.property(fraction, fraction, nonZero, (a, b, c) => {
      assert.equal(exactly(`${a}+${b}`), exactly(`${b}+${a}`))
      assert.equal(exactly(`(${a}+${b})*${c}`), exactly(`${a}*${c}+${b}*${c}`))
      assert.equal(exactly(`(${a}*${b})*${c}`), exactly(`${a}*(${b}*${c})`))
      assert.equal(exactly(`${a}/${c}*${c}`), exactly(a))
      assert.equal(exactly(`${a}-${a}`), '0')
      assert.equal(exactly(`${c}*${c}^-1`), '1')
    }),
  )
})

test('quotient and remainder reconstruct the dividend', () => {
  fc.assert(
    fc.property(fraction, nonZero, (a, b) => {
      assert.equal(exactly(`${b}*(${a} // ${b}) + ${a} mod ${b}`), exactly(a))
      const rest = exactly(`(${a} mod ${b})/${b}`)
      assert.equal(ask(`(${rest}) >= 0`).result, 'true')
      assert.equal(ask(`(${rest}) < 1`).result, 'true')
    }),
  )
})

test('a square root is between the roots of the numbers that enclose the radicand', () => {
  fc.assert(
    fc.property(fc.bigInt(2n, 10n ** 40n), (radicand) => {
      const root = ask(`sqrt(${radicand})`).scientific ?? ''
      const [digits, exponent] = [root.replace(/[.e].*$|\./g, ''), root]
      assert.ok(digits && exponent)
      const ulp = `10^(${Number(root.split('e')[1]) - 49})`
      assert.equal(ask(`(${root} - ${ulp}/2)^2 <= ${radicand}`).result, 'true', root)
      assert.equal(ask(`(${root} + ${ulp}/2)^2 >= ${radicand}`).result, 'true', root)
    }),
    { numRuns: 50 },
  )
})

test('converting to another unit and back returns the same quantity', () => {
  const lengths = fc.constantFrom('m', 'ft', 'mi', 'nmi', 'ly', 'um', 'km', 'fathom')
  fc.assert(
    fc.property(fraction, lengths, lengths, (amount, one, other) => {
      assert.equal(ask(`${amount} ${one} to ${other} to ${one} = ${amount} ${one}`).result, 'true')
    }),
  )
})

const leaf = fc.constantFrom('1', '2.5', '7', 'pi', 'e', '10')
const { tree: anyTree } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .tuple(tie('tree'), fc.constantFrom('+', '-', '*', '/', '//', ' mod ', '^', '<'), tie('tree'))
      .map(([left, operator, right]) => `${left}${operator === '<' ? '+' : operator}${right}`),
    tie('tree').map((inside) => `(${inside})`),
    tie('tree').map((inside) => `-${inside}`),
    tie('tree').map((inside) => `${inside}!`),
    tie('tree').map((inside) => `max(${inside}, 3)`),
    tie('tree').map((inside) => `2(${inside}) to m`),
  ),
}))

/** The tree without columns, which differ between spellings. */
function shapeOf(node: Node): unknown {
  return JSON.parse(JSON.stringify(node, (key, value) => (key === 'column' ? undefined : value)))
}

test('a printed expression parses to the same tree', () => {
  fc.assert(
    fc.property(anyTree, (expression) => {
      const node = tryParse(expression)
      fc.pre(node !== null)
      assert.deepEqual(shapeOf(parseExpression(printNode(node))), shapeOf(node))
    }),
  )
})

test('any text returns a result or throws a CalcError', () => {
  const pieces = fc.constantFrom(
    ...'0123456789.+-*/^!%(),<>=e',
    ' ',
    'pi',
    'sin(',
    'km',
    ' to ',
    'in',
    'mod',
    '°C',
    '²',
  )
  const text = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 30 }).map((some) => some.join('')),
  )
  fc.assert(
    fc.property(text, (expression) => {
      try {
        const { result } = ask(expression)
        assert.match(result, /^(-?[\d.]+(e-?\d+)?|true|false)$/)
      } catch (error) {
        assert.ok(error instanceof CalcError, String(error))
      }
    }),
    { numRuns: 200 },
  )
})

function tryParse(expression: string): Node | null {
  try {
    return parseExpression(expression)
  } catch (error) {
    if (error instanceof CalcError) return null
    throw error
  }
}
