import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { END, JsonCursor, QUOTE } from './json-cursor.ts'

/** Structural characters of pieces with their offsets in the whole text; strings with their quotes. */
function tokensOf(pieces: readonly string[]): readonly string[] {
  const text = pieces.join('')
  const cursor = new JsonCursor()
  const tokens: string[] = []
  let before = 0
  for (const piece of pieces) {
    cursor.feed(piece)
    for (let code = cursor.next(); code !== END; code = cursor.next()) {
      const end = before + cursor.at
      tokens.push(
        code === QUOTE ? text.slice(before + cursor.start, end) : `${String.fromCharCode(code)}${end}`,
      )
    }
    assert.equal(cursor.at, piece.length)
    before += piece.length
  }
  return tokens
}

function cut(text: string, size: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  )
}

test('strings, brackets and commas are found with their offsets', () => {
  assert.deepEqual(tokensOf([' {"a": [1,true], "b\\"}":{}}']), [
    '{2',
    '"a"',
    '[8',
    ',10',
    ']15',
    ',16',
    '"b\\"}"',
    '{25',
    '}26',
    '}27',
  ])
})

test('a string is a name if a colon follows, after any white space', () => {
  const cursor = new JsonCursor('{"a" \n:"b","c":["d"] }"e"')
  const names: string[] = []
  for (let code = cursor.next(); code !== END; code = cursor.next())
    if (code === QUOTE) names.push(`${cursor.isName()}`)
  assert.deepEqual(names, ['true', 'false', 'true', 'false', 'false'])
})

test('a backslash escapes a quote unless it is escaped itself', () => {
  for (const text of ['"\\""', '"\\\\"', '"\\\\\\""', '"\\\\\\\\"', '""'])
    for (const size of [1, 2, 3, 9]) assert.deepEqual(tokensOf(cut(text, size)), [text], `${text} by ${size}`)
})

test('the tokens are those that JSON.stringify wrote, wherever the text is cut', () => {
  const strings = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', ',', '\n', '\u00e4') })
  fc.assert(
    fc.property(fc.array(strings), fc.integer({ min: 1, max: 9 }), (values, size) => {
      const pieces = cut(JSON.stringify(values), size)
      assert.deepEqual(
        tokensOf(pieces).filter((token) => token.startsWith('"')),
        values.map((value) => JSON.stringify(value)),
      )
      // Each byte of UTF-8 is a character of latin1.
      const bytes = Buffer.from(JSON.stringify(values)).toString('latin1')
      assert.deepEqual(
        tokensOf(cut(bytes, size)).filter((token) => token.startsWith('"')),
        values.map((value) => Buffer.from(JSON.stringify(value)).toString('latin1')),
      )
    }),
  )
})

test('it pauses at an offset, also within a string that has quotes, and resumes', () => {
  const text = `["${'\\"'.repeat(100)}",1]`
  const cursor = new JsonCursor(text)
  const codes: string[] = []
  let pauses = 0
  for (let until = 10; cursor.at < text.length; until = Math.min(text.length, cursor.at + 10)) {
    const code = cursor.next(until)
    if (code === END) pauses += 1
    else codes.push(String.fromCharCode(code))
  }
  assert.deepEqual(codes, ['[', '"', ',', ']'])
  assert.ok(pauses >= 200 / 10 - 2, `${pauses}`)
})

test('text that is not JSON is stepped through to its end', () => {
  for (const text of ['', '"', '"\\', 'abc', '\\"', ']]', '"a" "b" x'])
    for (const size of [1, 2, 9]) tokensOf(cut(text, size))
  assert.deepEqual(tokensOf(['"open']), [])
})
