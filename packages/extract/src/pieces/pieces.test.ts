import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import type { Element } from 'domhandler'
import { textContent } from 'domutils'
import { elementsBelow, parseTree } from '../html-tree.ts'
import type { PageType } from '../page-type.ts'
import { choosePieces } from './choose-pieces.ts'
import { type BoostedTrees, predict } from './classify-pieces.ts'

import contentModel from './data/content-model.json' with { type: 'json' }
import { GROUPS, groupsOf } from './name-groups.ts'
import { findPhrases, toBits } from './phrases.ts'
import { removeOtherPieces } from './remove-other-pieces.ts'
import { splitPieces } from './split-pieces.ts'

const textsOf = (html: string) => splitPieces(parseTree(html)).map(({ text }) => text)

test('a page is split exactly at block boundaries', () => {
  assert.deepEqual(textsOf('<div>Loose <b>text</b><p>A <a href="x">link</a></p>end</div><h2>T</h2>'), [
    'Loose text',
    'A link',
    'end',
    'T',
  ])
  assert.deepEqual(textsOf('<pre><code><div>a</div><div>b</div></code></pre>'), ['ab'])
  assert.deepEqual(textsOf('<p>one<br>two</p><script>three</script><button>four</button>'), ['one two'])
})

test('a piece records its link text and the groups of its ancestors', () => {
  const [piece] = splitPieces(
    parseTree('<nav class="siteMenu"><ul><li><a href="x">four</a> rest</li></ul></nav>'),
  )
  assert.deepEqual([piece?.linkChars, piece?.links], [4, 1])
  const above = (group: string) => piece?.place.distances[GROUPS.indexOf(group)]
  // The link itself, then li, ul and nav.
  assert.deepEqual(
    [above('a'), above('li'), above('nav'), above('navigation'), above('footer')],
    [0, 1, 3, 3, 32],
  )
})

test('class names are split into words, also at capital letters', () => {
  const [element] = elementsBelow(parseTree('<div class="relatedPosts x-sidebar"></div>'))
  const named = element ? groupsOf(element, false).map((at) => GROUPS[at]) : []
  assert.deepEqual(new Set(named), new Set(['related', 'post', 'side']))
})

test('phrases are found at the start of a text', () => {
  assert.equal(findPhrases('The moon pulls the sea'), 0)
  assert.deepEqual(toBits(findPhrases('© 2026, all rights reserved')).slice(0, 2), [1, 0])
})

const STUMPS: BoostedTrees = {
  features: 2,
  base: 0,
  roots: [0, 3],
  feature: [0, -1, -1, 1, -1, -1],
  value: [5, -1, 2, 0.5, 0, 1],
  right: [2, 0, 0, 5, 0, 0],
}

test('the model sums the outputs of its trees to log-odds', () => {
  // 6 is not below 5: 2; 0.5 is not below 0.5: 1. Log-odds of 3: 1 / (1 + e^-3).
  assert.equal(predict(STUMPS, Float32Array.of(6, 0.5)), 1 / (1 + Math.exp(-3)))
  assert.equal(predict(STUMPS, Float32Array.of(4, 0)), 1 / (1 + Math.exp(1)))
})

test('the content model is consistent: every branch leads to a node of its own tree', () => {
  const { roots, feature, right, features }: BoostedTrees = contentModel
  assert.ok(roots.length >= 50)
  for (const [at, column] of feature.entries()) {
    assert.ok(column >= -1 && column < features)
    if (column >= 0) assert.ok((right[at] ?? 0) > at + 1 && (right[at] ?? 0) < feature.length)
  }
})

const judge = (html: string, probabilities: readonly number[]) => {
  const pieces = splitPieces(parseTree(html))
  return {
    pageType: 'listing' as PageType,
    pieces,
    probabilities,
    counts: pieces.map(({ text }) => text.split(' ').length),
  }
}

test('pieces more likely content than not are kept, and doubtful pieces of a doubtful page too', () => {
  const page = '<p>a b</p><p>c d</p><p>e f</p>'
  assert.deepEqual(choosePieces(judge(page, [0.9, 0.6, 0.1])), [true, true, false])
  // With the second piece as well: 2 * (0.8 + 0.7) / (4 + 1.7) = 0.53, without it 2 * 0.8 / (2 + 1.7) = 0.43.
  assert.deepEqual(choosePieces(judge(page, [0.4, 0.35, 0.1])), [true, true, false])
})

test('a piece of an article needs a higher probability', () => {
  const classified = judge('<p>a b</p><p>c d</p><p>e f</p>', [0.9, 0.55, 0.7])
  // 0.55 is above the threshold of 0.5, and below it with the extra 0.1; 0.7 is above both.
  assert.deepEqual(choosePieces({ ...classified, pageType: 'article' }), [true, false, true])
  assert.deepEqual(choosePieces(classified), [true, true, true])
})

test('a table needs a lower probability than the text around it', () => {
  const page = `<p>${'a '.repeat(20)}</p><table><tr><td>c d</td></tr></table><p>e f</p>`
  // A second piece would not raise the expected F1, so the threshold is 0.5, of a table 0.4.
  assert.deepEqual(choosePieces(judge(page, [0.9, 0.42, 0.42])), [true, true, false])
})

test('a data table is kept or dropped as a whole, a layout table is not', () => {
  const rows = '<table><tr><th>A</th></tr><tr><td>one two</td></tr></table>'
  assert.deepEqual(choosePieces(judge(rows, [0.1, 0.9])), [true, true])
  const layout = '<table><tr><td><p>A</p><p>B</p><p>C</p><p>one two</p></td></tr></table>'
  assert.deepEqual(choosePieces(judge(layout, [0.1, 0.1, 0.1, 0.9])), [false, false, false, true])
})

test('a table of 20,000 rows is classified long before the deadline of its job', () => {
  const table = judge(`<table>${'<tr><td>a</td><td>b</td></tr>'.repeat(20_000)}</table>`, [])
  const before = process.cpuUsage()
  assert.equal(choosePieces({ ...table, probabilities: table.pieces.map(() => 0.9) }).length, 40_000)
  // Linear work takes a fraction of a second; copying the list for each cell took ten.
  assert.ok(process.cpuUsage(before).user < 8_000_000)
})

/** No element is inside the main content. */
const NOWHERE = { root: parseTree(''), aside: new Set<Element>() }

test('dropped pieces leave no text, no image and no empty row behind', () => {
  const tree = parseTree(
    '<div><p>keep</p><img src="a"><p>keep too</p><img src="b"><p>drop <b>this</b></p><img src="c"></div>' +
      '<table><tr><td>drop</td><td></td></tr><tr><td>keep</td><td></td></tr></table>',
  )
  const pieces = splitPieces(tree)
  removeOtherPieces(tree, {
    pieces,
    isKept: pieces.map(({ text }) => text.startsWith('keep')),
    surroundings: NOWHERE,
  })
  assert.equal(textContent(tree), 'keepkeep tookeep')
  const left = [...elementsBelow(tree)].map(({ name, attribs }) => attribs.src ?? name)
  assert.deepEqual(left, ['div', 'p', 'a', 'p', 'table', 'tr', 'td', 'td'])
})

test('white space in an element of its own still separates words', () => {
  const tree = parseTree('<p>for the price of<b>&nbsp;</b>$35</p>')
  const pieces = splitPieces(tree)
  removeOtherPieces(tree, { pieces, isKept: pieces.map(() => true), surroundings: NOWHERE })
  assert.equal(textContent(tree), 'for the price of\u00a0$35')
})

test('an image inside the main content needs content on one side, others on both', () => {
  const images = '<img src="a"><p>keep</p><img src="b"><aside><img src="c"></aside><p>drop</p><img src="d">'
  const tree = parseTree(`<p>drop</p><main>${images}</main><img src="e"><p>keep</p>`)
  const pieces = splitPieces(tree)
  const [root = tree] = elementsBelow(tree).filter(({ name }) => name === 'main')
  const aside = new Set(elementsBelow(tree).filter(({ name }) => name === 'aside'))
  const isKept = pieces.map(({ text }) => text === 'keep')
  removeOtherPieces(tree, { pieces, isKept, surroundings: { root, aside } })
  const left = [...elementsBelow(tree)].flatMap(({ attribs }) => attribs.src ?? [])
  // a has content below it, b above it, d after the main content; c and e are not inside, and lack it on one side.
  assert.deepEqual(left, ['a', 'b', 'd'])
})

test('keeping every piece of any page keeps all of its text', () => {
  const piece = fc.constantFrom(
    '<div>',
    '</div>',
    '<p>',
    ' x y ',
    '<table><tr><td>',
    '</table>',
    '<li>',
    '<b>',
    '</b>',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (parts) => {
      const tree = parseTree(parts.join(''))
      const wanted = textContent(tree).replace(/\s+/g, '')
      const pieces = splitPieces(tree)
      removeOtherPieces(tree, { pieces, isKept: pieces.map(() => true), surroundings: NOWHERE })
      assert.equal(textContent(tree).replace(/\s+/g, ''), wanted)
    }),
    { numRuns: 60 },
  )
})
