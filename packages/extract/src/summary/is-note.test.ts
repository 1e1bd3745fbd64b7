import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNote } from './is-note.ts'

test('hatnotes, citations, titles and markup are no statements of a page', () => {
  for (const text of [
    'For other uses, see New Zealand (disambiguation).',
    'This article is about the country and its islands.',
    'Te Ara: The Encyclopedia of New Zealand.',
    'Archived from the original on 12 May 2014.',
    'Zu weiteren Bedeutungen siehe Merkur.',
    'Pour les articles homonymes, voir Mercure.',
    '<div style="position:absolute;"><img width=1 height=1',
    'Miller, J. (2010). Waves of the sea, pp. 12.',
  ])
    assert.equal(isNote(text), true, text)
})

test('statements stay, also those of languages that write nouns with a capital letter', () => {
  for (const text of [
    'New Zealand is an island country in the Pacific Ocean.',
    'Der Kanzler traf Minister und Präsidenten in Berlin.',
    'Queen Elizabeth visited Fiji in 1953.',
    'The archive opened in 2014 and holds letters.',
    '潮は月に引かれる。',
    'THE WALL WAS RAISED AFTER THE STORM.',
  ])
    assert.equal(isNote(text), false, text)
})
