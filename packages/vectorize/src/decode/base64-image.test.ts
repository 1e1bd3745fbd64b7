import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodedBytes, isBase64 } from './base64-image.ts'

test('base64 is recognized in both alphabets, with padding and line breaks', () => {
  for (const text of [
    'QQ==',
    'QUI=',
    'QUJD',
    '-_+/',
    'QU\nJD\n',
    ' QQ = '.replaceAll(' ', ''),
    'QQ==\r\n',
    'A',
  ])
    assert.ok(isBase64(text), text)
  for (const text of ['', '=', '==', 'Q=Q', 'QQ===', 'QQ==A', 'Q!', 'data:image/png;base64,', 'ä'])
    assert.ok(!isBase64(text), text)
  assert.ok(isBase64('data:image/png;base64,QQ=='))
})

test('the size of base64 excludes padding and white space at its end', () => {
  assert.equal(decodedBytes('QQ=='), 1)
  assert.equal(decodedBytes('QUI=\n'), 2)
  assert.equal(decodedBytes('QUJD \r\n '), 3)
})

test('runs of blanks take no more time than letters', () => {
  // Rescanning from each of ten million blanks would take days.
  const blanks = ' '.repeat(10_000_000)
  assert.equal(isBase64(`${blanks}!`), false)
  assert.equal(isBase64(`${blanks}A`), true)
  assert.equal(decodedBytes(`${blanks}A`), 7_500_000)
})
