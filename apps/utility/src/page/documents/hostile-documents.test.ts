import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDocument } from './read-document.ts'

const read = (kind: 'feed' | 'json' | 'markdown', text: string) =>
  readDocument({ url: 'https://sea.test/x', contentType: '', body: Buffer.from(text) }, kind, {
    includeLinks: true,
    includeImages: true,
    maxPages: 1,
  })
const rss = (items: string, before = '') =>
  `${before}<rss version="2.0"><channel><title>T</title>${items}</channel></rss>`
const item = (text: string) => `<item><title>${text}</title><description>${text}</description></item>`

test('feeds and JSON that would exhaust the stack or memory are refused', async () => {
  const bombs = [
    ['json', '['.repeat(200_000)],
    ['feed', rss('<x>'.repeat(300_000))],
    ['feed', rss(item('a').repeat(100_000))],
    ['feed', rss(item('&lt;div&gt;'.repeat(20_000)))],
  ] as const
  for (const [kind, text] of bombs) assert.ok('refusal' in (await read(kind, text)), text.slice(0, 80))
})

test('empty elements of a feed are siblings, and markup in CDATA is text', async () => {
  const tags = '<category term="tide"/>'.repeat(600)
  const html = `<![CDATA[${'<br><p>Low water.</p>'.repeat(600)}]]>`
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><title>Ebb</title>${tags}<summary>${html}</summary></entry></feed>`
  assert.match(JSON.stringify(await read('feed', atom)), /Low water/)
})

test('entities that a feed defines are not expanded', async () => {
  const definitions = '<!DOCTYPE rss [<!ENTITY a "seaseasea"><!ENTITY b "&a;&a;&a;">]>'
  const answer = JSON.stringify(await read('feed', rss(item('x &b;'), definitions)))
  assert.match(answer, /x &b;/)
  assert.doesNotMatch(answer, /seasea/)
})

test('Markdown of nothing but marks is read in a time that grows with its length', async () => {
  // A quadratic reader would take 4e10 steps: 200,000 squared.
  for (const marks of ['`', '[', '[](a', ' #', '> ', '- ', '*', '# \t'])
    assert.ok(
      'result' in (await read('markdown', `# a${marks.repeat(200_000)}x\n\n${marks.repeat(200_000)}x`)),
      marks,
    )
})
