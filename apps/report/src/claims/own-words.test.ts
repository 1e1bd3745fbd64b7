import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLinesIssue, findStatementIssue } from './own-words.ts'

test('five hundred characters are accepted, counted as code points', () => {
  assert.equal(findStatementIssue('a'.repeat(500)), null)
  assert.equal(findStatementIssue('\u{1f600}'.repeat(500)), null)
  assert.match(findStatementIssue('\u{1f600}'.repeat(501)) ?? '', /at most 500 characters; it has 501/)
  assert.match(findStatementIssue('a'.repeat(10_000)) ?? '', /it has 10000/)
})

test('words of many scripts are accepted, and so are marks that only look hostile', () => {
  for (const text of [
    'We test our own endpoint every hour; wallet 0x12… is ours.',
    '<script>alert(1)</script> & "quotes" are letters like others: they are escaped where they are shown.',
    'Wir prüfen täglich. 我们每天测试。 نختبر كل يوم. हम हर दिन जाँच करते हैं। טסטים',
    'family \u{1f468}\u200d\u{1f469}\u200d\u{1f467} and \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
  ])
    assert.equal(findStatementIssue(text), null, text)
})

test('invisible or disguising characters are rejected', () => {
  for (const hidden of [
    '\u0000',
    '\n',
    '\r',
    '\t',
    '\u001b[31m',
    '\u007f',
    '\u0085',
    '\u00ad',
    '\u200b',
    '\u200e',
    '\u202e',
    '\u2028',
    '\u2066',
    '\ufeff',
    '\ud800',
    '\ue000',
    '\ufffe',
    '\u{e0041}',
    '\u{e0100}',
  ])
    assert.notEqual(findStatementIssue(`be${hidden}fore`), null, escape(hidden))
  assert.match(findStatementIssue(`e${'\u0301'.repeat(9)}`) ?? '', /eight marks/)
  assert.equal(findStatementIssue(`e${'\u0301'.repeat(8)}`), null)
  for (const empty of ['', ' ', '\u200d\u200d', '\u00a0']) assert.notEqual(findStatementIssue(empty), null)
  assert.match(findStatementIssue(' a') ?? '', /begins or ends with a space/)
})

test('line breaks and tabs are accepted in notes', () => {
  assert.equal(findLinesIssue('one\ntwo\tthree'), null)
  assert.notEqual(findLinesIssue('one\u001b[2Jtwo'), null)
  assert.notEqual(findLinesIssue('one\r\ntwo'), null)
})
