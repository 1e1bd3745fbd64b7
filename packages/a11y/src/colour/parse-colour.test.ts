import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import rgbByName from 'color-name'
import { toHex } from './colour.ts'
import { parseColour } from './parse-colour.ts'

const opaque = (red: number, green: number, blue: number) => ({ red, green, blue, alpha: 1 })

test('hex colours have 3, 4, 6 or 8 digits, with or without the number sign, in either case', () => {
  assert.deepEqual(parseColour('#0aF'), opaque(0, 170, 255))
  assert.deepEqual(parseColour('00AAFF'), opaque(0, 170, 255))
  assert.deepEqual(parseColour('#0af8'), { ...opaque(0, 170, 255), alpha: 0x88 / 255 })
  assert.deepEqual(parseColour(' #00aaff00 '), { ...opaque(0, 170, 255), alpha: 0 })
})

test('rgb() and rgba() are one function, with commas or spaces', () => {
  for (const text of ['rgb(1,2,3)', 'rgba( 1 , 2 , 3 )', 'RGB(1 2 3)', 'rgba(1 2 3 / 1)', 'rgb(1 2 3/100%)'])
    assert.deepEqual(parseColour(text), opaque(1, 2, 3), text)
  for (const text of ['rgb(1,2,3,.5)', 'rgba(1, 2, 3, 50%)', 'rgb(1 2 3 / 0.5)', 'rgba(1 2 3/50%)'])
    assert.deepEqual(parseColour(text), { ...opaque(1, 2, 3), alpha: 0.5 }, text)
})

test('percentages and decimals are not rounded', () => {
  assert.deepEqual(parseColour('rgb(50%, 0%, 100%)'), opaque(127.5, 0, 255))
  assert.deepEqual(parseColour('rgb(50% 10 1e1)'), opaque(127.5, 10, 10))
  assert.deepEqual(parseColour('rgb(none 2.5 +3)'), opaque(0, 2.5, 3))
})

test('out-of-range channels and alpha are clamped as in CSS', () => {
  assert.deepEqual(parseColour('rgb(300, -20, 10, 7)'), opaque(255, 0, 10))
  assert.deepEqual(parseColour('rgb(120% 0 0 / -1)'), { ...opaque(255, 0, 0), alpha: 0 })
})

test('CSS colour names are parsed', () => {
  assert.equal(Object.keys(rgbByName).length, 148)
  assert.deepEqual(parseColour('RebeccaPurple'), opaque(0x66, 0x33, 0x99))
  assert.equal(parseColour('transparent')?.alpha, 0)
})

test('anything else is not a CSS colour', () => {
  const wrong = ['', '#', '#12', '#12345', '#1234567', '#ggg', 'redd', 'constructor', 'currentcolor', 'rgb()']
  const wrongFunctions = [
    'rgb(1,2)',
    'rgb(1 2)',
    'rgb(1,2,3,4,5)',
    'rgb(1 2 3 4)',
    'rgb(1,2 3)',
    'rgb(1,2,3/4)',
    'rgb(1 2 3 / 4 / 5)',
    'rgb(1%,2,3)',
    'rgb(none,2,3)',
    'rgb(1.,2,3)',
    'rgb(1,2,3',
    'hsl(1, 2, 3)',
    'hsl(1%, 2%, 3%)',
    'hsl(1 2%)',
    'lab(50% 0 0)',
  ]
  for (const text of [...wrong, ...wrongFunctions]) assert.equal(parseColour(text), null, text)
})

test('every hex colour prints as it was written', () => {
  const digits = fc.stringMatching(/^#([0-9a-f]{6}|[0-9a-f]{8})$/)
  fc.assert(
    fc.property(digits, (text) => {
      const colour = parseColour(text)
      assert.ok(colour)
      // An alpha of ff is opaque, which the six-digit form already expresses.
      assert.equal(toHex(colour), text.replace(/^(#.{6})ff$/, '$1'))
    }),
  )
})

test('hsl() has the colours of the examples in CSS Color 4', () => {
  // Sections 4.1 and 7 of the specification, and its table of hues.
  const expected: Readonly<Record<string, string>> = {
    'hsl(120deg 100% 50%)': '#00ff00',
    'hsl(120, 100%, 25%)': '#008000',
    'hsl(270 50% 40%)': '#663399',
    'hsla(0, 100%, 50%, 1)': '#ff0000',
    'hsl(-120 100% 50%)': '#0000ff',
    'hsl(0.5turn 100 50)': '#00ffff',
    'hsl(400grad 0% 100%)': '#ffffff',
    'hsl(none none 0%)': '#000000',
    'hsl(120 100% 50% / 50%)': '#00ff0080',
  }
  for (const [text, hex] of Object.entries(expected)) {
    const colour = parseColour(text)
    assert.equal(colour && toHex(colour), hex, text)
  }
})
