import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { cutText, toPlainText } from './plain-text.ts'

test('control characters become single spaces', () => {
  assert.equal(toPlainText('\u0000 a\r\n\tb\u0007c\u009bd '), 'a b c d')
})

test('marks that turn or hide text are removed', () => {
  assert.equal(toPlainText('pay\u202egnp.exe\u2066\u200b\ufeff ok\u2028now'), 'paygnp.exe ok now')
})

test('words written in tag characters or variation selectors are removed', () => {
  const hidden = [...'pay me'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
  assert.equal(toPlainText(`weather${hidden}\u{e0101}\ufe01\u3164`), 'weather')
})

test('a stack of marks on one letter is cut to four', () => {
  assert.equal(toPlainText(`a${'\u0301'.repeat(50)}b`), `a${'\u0301'.repeat(4)}b`)
})

test('an unpaired surrogate is replaced, a pair stays', () => {
  assert.equal(toPlainText('a\ud83d b \u{1f600}'), 'a\ufffd b \u{1f600}')
})

test('markup is treated as any other text', () => {
  assert.equal(toPlainText('<b>x</b> & "y"'), '<b>x</b> & "y"')
})

test('a text that fits is not cut', () => {
  assert.equal(cutText('x'.repeat(240), 240), 'x'.repeat(240))
})

test('a longer text is cut after a word', () => {
  assert.equal(cutText('one two three', 10), 'one two…')
  assert.equal(cutText('one two three', 8), 'one two…')
})

test('a word that is too long is cut in the middle', () => {
  assert.equal(cutText('x'.repeat(20), 10), `${'x'.repeat(9)}…`)
})

test('a cut text is never longer than allowed, nor does it end in half a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
      const cut = cutText(toPlainText(text), 240)
      return [...cut].length <= 240 && cut.isWellFormed()
    }),
  )
})

test('plain text never contains a control character', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/\p{Cc}/u.test(toPlainText(text))))
})
