import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPageModel } from '../page-model.ts'

/** The name of the element with the id `t`. */
function nameIn(body: string, css = ''): string {
  const html = `<html lang=en><head><title>Harbour</title><style>${css}</style></head><body>${body}</body></html>`
  const page = createPageModel({ html, url: 'https://example.com/' })
  const [element] = page.tree.byId.get('t') ?? []
  assert.ok(element, body)
  return page.nameOf(element)
}

// Expected names from Accessible Name and Description Computation 1.2, section 4.3.2, by the step in the comment.
type Case = readonly [behaviour: string, body: string, name: string, css?: string]

// 2F.iii and 2F.v: children and the spaces between them.
const SPACES: readonly Case[] = [
  [
    'a space between children counts wherever it is',
    '<a id=t href=/>High<b><i> </i></b>tide</a>',
    'High tide',
  ],
  ['inline children follow without a space', '<button id=t><b>Se</b><i>nd</i></button>', 'Send'],
  [
    'inline blocks are separated by spaces',
    '<button id=t><b>Send</b><b>all</b></button>',
    'Send all',
    'b { display: inline-block }',
  ],
  [
    'flex boxes in a line are separated by spaces',
    '<button id=t><b>Send</b><b>all</b></button>',
    'Send all',
    'b { display: inline-flex }',
  ],
  [
    'fields are separated by spaces',
    '<label for=t>at<input value=7>sharp</label><input type=checkbox id=t>',
    'at 7 sharp',
  ],
]

// HTML-AAM 1.0, section 5, and 2A, 2B and "each node is consulted only once".
const REFERENCES: readonly Case[] = [
  [
    'several labels count in document order',
    '<label>Send <input type=checkbox id=t> me</label> <label for=t>letters</label>',
    'Send me letters',
  ],
  ['a hidden label does not count, as in browsers', '<label for=t hidden>Name</label><input id=t>', ''],
  ['a hidden reference counts', '<p id=n hidden>Name</p><input id=t aria-labelledby=n>', 'Name'],
  [
    'an element that was referenced inside a name counts once',
    '<h2 id=t><a href=/a aria-labelledby=pic>ignored</a> and <a href=/b><img id=pic alt=harbour src=a.png> tides</a></h2>',
    'harbour and tides',
  ],
  [
    'a reference inside a referenced element is not followed',
    '<button id=t aria-labelledby=a>x</button><p id=a>Tides <b aria-labelledby=b>today</b></p><p id=b>ignored</p>',
    'Tides today',
  ],
  [
    'an element may refer to itself',
    '<a id=t href=/ aria-label="Read more" aria-labelledby="t h">more</a><h2 id=h>Tides</h2>',
    'Read more Tides',
  ],
  [
    'elements that refer to each other end',
    '<p id=t role=button aria-labelledby=o>Ebb</p><p id=o role=button aria-labelledby=t>Flow</p>',
    'Flow',
  ],
  [
    'a visible child of an invisible element counts',
    '<h2 id=t>High <span style="visibility:hidden">not <b style="visibility:visible">tide</b></span></h2>',
    'High tide',
  ],
  [
    'a child of a screen-reader-hidden element does not count',
    '<h2 id=t>High <span aria-hidden=true style="visibility:hidden">not <b style="visibility:visible">tide</b></span></h2>',
    'High',
  ],
  [
    'scripts and styles in a hidden reference do not count',
    '<button id=t aria-labelledby=a>x</button><div id=a hidden>Tides<style>p {}</style><script>1</script></div>',
    'Tides',
  ],
]

for (const [behaviour, body, name, css] of [...SPACES, ...REFERENCES])
  test(behaviour, () => assert.equal(nameIn(body, css), name))

test('a name of very many elements is cut off rather than slow', () => {
  const many = '<b>x</b>'.repeat(5_000)
  const ids = Array.from({ length: 200 }, (_, at) => `i${at}`)
  const spans = ids.map((id) => `<p id=${id}>${many.slice(0, 800)}</p>`).join('')
  assert.ok(nameIn(`<button id=t>${many}</button>`).length <= 2_000)
  assert.ok(nameIn(`<button id=t aria-labelledby="${ids.join(' ')}">y</button>${spans}`).length <= 4_000)
})

test('deeply nested elements end', () => {
  assert.equal(nameIn(`<button id=t>a${'<b>'.repeat(3_000)}x${'</b>'.repeat(3_000)}</button>`), 'a')
})
