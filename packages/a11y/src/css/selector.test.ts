import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPageModel } from '../page-model.ts'

/** Whether the rule of the sheet applies to the element with the id `t`. */
function matches(selector: string, body: string): boolean {
  const html = `<html lang=en><head><title>x</title><style>${selector} { text-indent: 7px }</style></head><body>${body}</body></html>`
  const page = createPageModel({ html, url: 'https://example.com/' })
  const element = page.elements.find(({ attribs }) => attribs.id === 't')
  assert.ok(element, body)
  return page.styleOf(element).declared.get('text-indent')?.value === '7px'
}

// Expected values from Selectors Level 4 and CSS Syntax Level 3, for a page without user interaction.
for (const [selector, body, expected] of [
  ['.md\\:red', '<p id=t class="md:red">x', true],
  ['.w-1\\/2 > p', '<div class="w-1/2"><p id=t>x</p></div>', true],
  ['#\\74', '<p id=t>x', true],
  ['div:has(b) p', '<div><b>y</b><p id=t>x</p></div>', true],
  ['p:not(:focus)', '<p id=t>x', true],
  ['p:focus-visible', '<p id=t tabindex=0>x', false],
  ['a:hover', '<a id=t href=/>x', false],
  ['a:any-link', '<a id=t href=/>x', true],
  [':is(:hover, p)', '<p id=t>x', true],
  [':where(#t)', '<p id=t>x', true],
  ['p::first-line', '<p id=t>x', false],
  ['p::before', '<p id=t>x', false],
  ['p:no-such-thing', '<p id=t>x', false],
  ['[TYPE=Text]', '<input id=t type=text>', true],
  ['[class~="b" i]', '<p id=t class="a B">x', true],
  ['li:nth-child(2n + 1)', '<ul><li>a<li>b<li id=t>c</ul>', true],
  ['li:nth-last-of-type(2)', '<ul><li>a<li id=t>b<li>c</ul>', true],
  ['b + p', '<b>y</b><p id=t>x', true],
  ['b ~ p', '<b>y</b><i>z</i><p id=t>x', true],
  ['input:checked', '<input type=checkbox checked id=t>', true],
  ['p:empty', '<p id=t><!-- y --></p>', true],
] as const)
  test(`${selector} ${expected ? 'matches' : 'does not match'} in ${body}`, () => {
    assert.equal(matches(selector, body), expected)
  })

test('an id outweighs classes, and at equal specificity the later rule wins', () => {
  const html = `<html><head><style>#t { color: red } .a.b { color: blue } .a { top: 1px } .b { top: 2px }</style></head>
    <body><p id=t class="a b">x</p></body></html>`
  const page = createPageModel({ html, url: 'https://example.com/' })
  const declared = page.styleOf(page.elements.at(-1) ?? assert.fail()).declared
  assert.deepEqual([declared.get('color')?.value, declared.get('top')?.value], ['red', '2px'])
})

test('descendant combinators do not take exponential time on nested elements', () => {
  const before = process.cpuUsage()
  // Without pruning, 4 of 200 ancestors are 64 million combinations.
  assert.equal(matches('i div div div div p', `${'<div>'.repeat(200)}<p id=t>x`), false)
  assert.ok(process.cpuUsage(before).user < 10_000_000)
})
