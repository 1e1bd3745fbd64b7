import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { parseExactJson } from './exact-json.ts'
import { readMemberTexts } from './json-text.ts'
import { parseLongJson } from './parse-long-json.ts'

const bounds = { levels: 100, values: 1_000_000 }
/** Counts turns of the event loop without reading a clock. */
function countedPace() {
  const counted = {
    turns: 0,
    rest(): undefined {
      counted.turns += 1
    },
  }
  return counted
}
const parse = (text: string, more: { isExact?: boolean; keepsText?: readonly string[] } = {}) =>
  parseLongJson(text, { bounds, isExact: false, keepsText: [], pace: countedPace(), ...more })
const MANY = 6_000
const SPACE = ' '.repeat(40_000)

const TEXTS: Record<string, string> = {
  'a flat list': JSON.stringify(Array.from({ length: 100_000 }, (_, at) => at)),
  'a list of objects': JSON.stringify(
    Array.from({ length: MANY }, (_, at) => ({ at, b: ['x', null, true] })),
  ),
  'an object with many members': JSON.stringify(
    Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`n${at}`, { at }])),
  ),
  'numbers as names': JSON.stringify(
    Object.fromEntries(Array.from({ length: MANY }, (_, at) => [MANY - at, at])),
  ),
  'a long string': JSON.stringify({ a: 'A'.repeat(1_000_000), b: 1 }),
  'a long string of escapes': `["${'\\u00e4\\\\\\"\\n'.repeat(60_000)}"]`,
  'a long string of pairs': JSON.stringify(['\u{1f600}'.repeat(200_000)]),
  'a long string of backslashes': JSON.stringify('\\'.repeat(400_001)),
  'a long string in a long list': JSON.stringify([
    ...Array.from({ length: MANY }, (_, at) => `${at} of many`),
    'B'.repeat(600_000),
    ...Array.from({ length: MANY }, (_, at) => at),
  ]),
  'long lists in each other': `${'['.repeat(60)}${'1,'.repeat(30_000)}1${']'.repeat(60)}`,
  'the same name twice': `{"a":[${'1,'.repeat(30_000)}1],"b":2,"a":"x","c":[${'2,'.repeat(30_000)}2],"b":{"d":1}}`,
  'a long name': JSON.stringify({ ['n'.repeat(300_000)]: 1, b: 2 }),
  'nothing but space': `{"a":[${SPACE}],"b":{${SPACE}}}`,
  'space everywhere': `${SPACE}{${SPACE}"a"${SPACE}:${SPACE}[${SPACE}1${SPACE},${SPACE}[${'3,'.repeat(20_000)}3]${SPACE}]${SPACE}}${SPACE}`,
}

for (const [kind, text] of Object.entries(TEXTS)) {
  test(`${kind} is parsed as JSON.parse does, in short turns`, async () => {
    const pace = countedPace()
    const options = { bounds, isExact: false, keepsText: ['a'], pace }
    const read = await parseLongJson(text, options)
    assert.ok('value' in read)
    const expected: unknown = JSON.parse(text)
    assert.deepEqual(read.value, expected)
    assert.equal(JSON.stringify(read.value), JSON.stringify(expected), 'the order of members')
    assert.deepEqual(read.texts, readMemberTexts(text, ['a']))
    // Each turn parses at most 262,144 characters, and nearly all of them about 32,768 plus their
    // surroundings.
    assert.ok(pace.turns >= text.length / 262_144, `${pace.turns} turns`)
  })
}

test('what JSON.parse rejects is rejected, wherever the text is cut', async () => {
  const long = `[${'1,'.repeat(30_000)}1]`
  const word = `"${'a'.repeat(300_000)}"`
  const wrong = [
    `[${'1,'.repeat(30_000)}]`,
    `[,${'1,'.repeat(30_000)}1]`,
    `[${'1,'.repeat(20_000)},${'1,'.repeat(20_000)}1]`,
    `{"a":${long},}`,
    `{,"a":${long}}`,
    `{"a" ${long}}`,
    `{"a"::${long}}`,
    `{${long}}`,
    `{"b":1,"a":${long}"c":2}`,
    `{"a":${long}x,"b":1}`,
    `{"a":${long} 1}`,
    `["a":${long}]`,
    `[1 ${long}]`,
    `[${long}${long}]`,
    `[${long}${word}]`,
    `[${word}x]`,
    `[x${word}]`,
    `{${word}}`,
    `{"a":${word}:1}`,
    `${long}${long}`,
    `${long},1`,
    `${long}]`,
    `[${long}`,
    `[${long}}`,
    `{"a":${long}]`,
    `"${'a'.repeat(300_000)}`,
    `"${'a'.repeat(300_000)}\n"`,
    `"${'\\x'.repeat(200_000)}"`,
    `"${'a'.repeat(262_143)}\\u00"`,
    `"${'\\u00e'.repeat(60_000)}"`,
    `x${long}`,
    `${long}x`,
  ]
  for (const text of wrong) {
    assert.throws(() => JSON.parse(text), text.slice(0, 30))
    assert.deepEqual(
      await parse(text),
      { fault: 'is not valid JSON' },
      `${text.slice(0, 30)}…${text.slice(-30)}`,
    )
  }
})

test('numbers of many digits keep them in long texts', async () => {
  const text = JSON.stringify(Array.from({ length: 20_000 }, () => 0)).replaceAll(
    '0',
    '12345678901234567890.5',
  )
  const read = await parse(text, { isExact: true })
  assert.ok('value' in read)
  assert.equal(JSON.stringify(read.value), text)
  assert.deepEqual(read.value, parseExactJson(text))
})

test('bounds apply to long texts', async () => {
  const few = { bounds: { levels: 5, values: 10_000 }, isExact: false, keepsText: [], pace: countedPace() }
  assert.deepEqual(await parseLongJson(TEXTS['a flat list'] ?? '', few), {
    fault: 'has more than 10000 values',
  })
  assert.deepEqual(await parseLongJson(TEXTS['long lists in each other'] ?? '', few), {
    fault: 'is nested deeper than 5 levels',
  })
  assert.deepEqual(await parse(`{"a":"${'b'.repeat(300_000)}","__proto__":1}`), {
    fault: 'has a forbidden key: __proto__',
  })
})

test('any JSON within long lists, objects and white space gives the same value', async () => {
  const padded = fc.record({
    before: fc.array(fc.jsonValue(), { maxLength: 3 }),
    value: fc.jsonValue(),
    after: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(padded, async ({ before, value, after }) => {
      const filler = Array.from({ length: 12_000 }, (_, at) => at)
      const whole = {
        before,
        filler,
        value,
        long: 'ä'.repeat(300_000),
        deep: [filler, [value, filler]],
        after,
      }
      const text = JSON.stringify(whole)
      if (text.includes('__proto__')) return
      const read = await parse(text)
      assert.ok('value' in read)
      assert.equal(JSON.stringify(read.value), text)
    }),
    { numRuns: 25 },
  )
})
