import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasAllMasks, restoreSegment } from './restore.ts'
import type { Piece, Segment } from './segment.ts'
import { splitDocument } from './split-document.ts'

function segmentOf(text: string): Segment {
  const [segment, ...more] = splitDocument(text, 'markdown')
  assert.ok(segment !== undefined && typeof segment !== 'string' && more.length === 0)
  return segment
}

/** The Markdown text with its pieces translated like this. */
const restored = (text: string, ...pieces: Piece[]) =>
  restoreSegment(pieces, segmentOf(text), { isMarkdown: true })

test('each mask must occur once; delimiters keep their order, and code may move', () => {
  // 0 and 1 are the asterisks, 2 is the first code, 3 the second.
  const segment = segmentOf('The *small* house, `a` or `b`')
  const isWhole = (...pieces: Piece[]) => hasAllMasks(pieces, segment)
  assert.ok(isWhole('La casa ', 0, 'pequeña', 1, ', ', 2, ' o ', 3))
  assert.ok(isWhole(3, ' o ', 2, ': la casa ', 0, 'pequeña', 1))
  assert.ok(!isWhole('La casa ', 1, 'pequeña', 0, ', ', 2, ' o ', 3))
  assert.ok(!isWhole('La casa ', 0, 'pequeña', 1, ', ', 2))
  assert.ok(!isWhole('La casa ', 0, 'pequeña', 1, ', ', 2, ' o ', 2))
  assert.ok(!isWhole('La casa ', 0, 'pequeña', 1, ', ', 2, ' o ', 3, 3))
  assert.ok(!isWhole('La casa ', 0, 'pequeña', 1, ', ', 2, ' o ', 9))
})

test('delimiters stay attached to their words, else they would not be markup', () => {
  const text = 'The **small** house'
  assert.equal(restored(text, 'La casa', 0, ' pequeña ', 1), 'La casa **pequeña**')
  assert.equal(restored(text, 'La ', 0, ' pequeña', 1, 'casa'), 'La **pequeña** casa')
  assert.equal(restored('See [the house](/x).', 'Vea', 0, ' la casa ', 1, '.'), 'Vea [la casa](/x).')
  assert.equal(restored('Wow [it](/x)', '¡Sí!', 0, 'eso', 1), '¡Sí! [eso](/x)')
  assert.equal(restored('See `a` now', 'Vea', 0, 'ya'), 'Vea `a` ya')
})

test('a translation adds no markup, no line breaks and no blocks', () => {
  assert.equal(restored('The house', '*La* [casa](x) `roja`\n<b>'), 'La casa(x) roja b')
  assert.equal(restored('The house', '- La casa'), '\\- La casa')
  assert.equal(restored('The house', '1. La casa'), '1\\. La casa')
  assert.equal(restored('The house\nis red', '# La casa', 0, '+ es roja'), '\\# La casa\n\\+ es roja')
  assert.equal(restored('The house', 'La  casa '), 'La casa')
  const text = restoreSegment(['# La [casa]\n'], segmentOf('The house'), { isMarkdown: false })
  assert.equal(text, '# La [casa]')
})

test('a delimiter costs the same wherever a run of spaces is', () => {
  const text = `a${' '.repeat(4_000)}b${'*c'.repeat(1_900)}`
  const segment = segmentOf(text)
  assert.equal(restoreSegment(segment.pieces, segment, { isMarkdown: true }), text)
})
