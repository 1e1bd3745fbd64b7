import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TooComplex } from '@tollbook/flow/failure'
import { fc } from '@tollbook/testing/property'
import { checkMarkup } from './markup-bounds.ts'

const depthOf = (text: string) => checkMarkup(text, { depth: 10_000, nodes: 1_000_000 }).depth

// Depths by hand, after the tree construction of the HTML Standard without html, head and body.
for (const [text, depth] of [
  ['', 0],
  ['text', 0],
  ['<p>a<p>b<p>c', 1],
  ['<div><div></div></div><div>', 2],
  ['<ul><li>a<li>b<ul><li>c</ul><li>d</ul>', 4],
  ['<br><br><img><hr>', 0],
  ['<DIV><Span></SPAN></DIV>', 2],
  ['<table><tr><td>1<td>2<tr><td>3</table>', 3],
  ['<select><option>a<option>b</select>', 2],
  ['<div/><div/><div/>', 3],
  ['<svg><path/><path/><g><path/></g></svg>', 2],
  ['<svg><foreignObject><div/><div/></foreignObject></svg>', 4],
  // A paragraph ends SVG, so the self-closing tag after it is not self-closing.
  ['<svg><p></p><path/><path/><path/>', 4],
  ['<svg><br><path/><path/>', 3],
  ['<svg></p><path/><path/>', 3],
  ['<script><div><div><div></script>', 1],
  ['<script>"</scripty><div>"</script><div>', 1],
  ['<title><b></title><b>', 1],
  ['<textarea></TextArea ><b>', 1],
  ['<!-- <div><div> --><b>', 1],
  ['<!--><b><i>-->', 2],
  ['<!--->"<b><i>-->', 2],
  ['<!-- --!><b><i>', 2],
  ['<!doctype html><?php <b><i> ?>', 1],
  ['<![CDATA[><b><i>]]>', 2],
  ['a < b <3 <> </> <b>', 1],
  ['<a title="<b><i>"><u>', 2],
  ["<a title='>' href=x/><u>", 2],
  ['<a ="><b><i>">', 3],
  ['<a/="><b><i>">', 3],
  ['<a b=c="><b><i>">', 3],
  ['<a b"><b><i>">', 3],
  ['<a b = "<b>" c><i>', 2],
  ['</div></div><b></i>', 1],
  ['<noembed><b><i></noembed><iframe><b><i><u>', 4],
] as const) {
  test(`${JSON.stringify(text)} nests ${depth} deep`, () => assert.equal(depthOf(text), depth))
}

// Depths by hand, after XML 1.0: names have case, only `/>` and end tags close, CDATA is text; empty elements add none.
for (const [text, depth] of [
  ['<a/><a/><a x="1"/>', 0],
  ['<link>a</link><link>b</link>', 1],
  ['<link><link><link>', 3],
  ['<li><li><p><p>', 4],
  ['<script><b/></script>', 1],
  ['<A></a></A>', 1],
  ['<A></a><A></a>', 2],
  ['<é><1><_a>', 3],
  ['<![CDATA[<b><i>]]><b>', 1],
  ['<![CDATA[<b><i>', 0],
  ['<!-- <b> --><?x <b>?><b>', 1],
  ['<svg><p/><p/></svg>', 1],
] as const) {
  test(`${JSON.stringify(text)} nests ${depth} deep in XML`, () =>
    assert.equal(checkMarkup(text, { isXml: true }).depth, depth))
}

test('elements, texts and comments are counted', () => {
  // ul, li, text, li, text, comment, text.
  assert.equal(checkMarkup('<ul><li>a<li>b<!-- c -->d</ul>').nodes, 7)
})

test('20,000 nested elements are refused', () => {
  assert.throws(() => checkMarkup('<div>'.repeat(20_000)), TooComplex)
  assert.equal(checkMarkup(`${'<div>'.repeat(512)}${'</div>'.repeat(512)}`).depth, 512)
  assert.throws(() => checkMarkup('<div>'.repeat(513)), TooComplex)
})

test('more nodes than the limit are refused', () => {
  assert.equal(checkMarkup('<br>'.repeat(150_000)).nodes, 150_000)
  for (const piece of ['<br>', '<!---->', '<p>', '</p>', 'a<br>']) {
    assert.throws(() => checkMarkup(piece.repeat(150_001)), TooComplex, piece)
  }
})

// Each makes a scanner that looks ahead at each position take quadratic time.
for (const piece of [
  '<',
  '<a',
  '<a ',
  '<a="',
  '<!',
  '<!--',
  '</',
  '<script>',
  '</script',
  '<title></ti',
  'a="',
  "<b '",
]) {
  test(`5 MB of ${JSON.stringify(piece)} are read in linear time`, () => {
    const text = piece.repeat(5_000_000 / piece.length)
    const before = process.cpuUsage()
    try {
      checkMarkup(text)
    } catch (error) {
      assert.ok(error instanceof TooComplex)
    }
    // Takes below a second; in quadratic time, 5,000,000 * 5,000,000 steps would take hours.
    assert.ok(process.cpuUsage(before).user < 60_000_000)
  })
}

test('any text is read to its end', () => {
  const pieces = fc.constantFrom(
    '<',
    '>',
    '/',
    '!',
    '--',
    '"',
    "'",
    '=',
    ' ',
    'svg',
    'script',
    'p',
    'div',
    'td',
    'x',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 60 }), (parts) => {
      const { depth, nodes } = checkMarkup(parts.join(''))
      return depth <= nodes
    }),
  )
})
