import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeHtml } from './decode-html.ts'

test('an encoding in which markup could hide decodes to one replacement character, as in browsers, and is not an error', () => {
  for (const label of ['iso-2022-kr', 'hz-gb-2312', 'replacement', 'csISO2022KR'])
    for (const [page, contentType] of [
      ['<p>words', `text/html; charset=${label}`],
      [`<meta charset="${label}"><p>words`, 'text/html'],
    ] as const)
      assert.deepEqual(decodeHtml(Buffer.from(page), contentType), {
        text: '\ufffd',
        charset: 'replacement',
      })
})

test('unknown encoding labels are ignored', () => {
  for (const label of ['utf-7', 'utf-32', 'x'.repeat(1_000), '"', ';', '\u0000'])
    assert.deepEqual(decodeHtml(Buffer.from('é'), `text/html; charset=${label}`), {
      text: 'é',
      charset: 'utf-8',
    })
})
