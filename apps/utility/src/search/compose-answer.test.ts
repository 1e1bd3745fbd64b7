import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { composeAnswer } from './compose-answer.ts'

const hit = (content: string, score = 1) => ({
  title: '',
  url: 'https://a.example/',
  content,
  score,
  publishedDate: null,
  favicon: null,
})

test('an answer quotes the sentences relevant to the query, with the numbers of their results', () => {
  const hits = [
    hit('Fees are low on Base. Base produces a block about every two seconds.'),
    hit('Cakes are baked for an hour.', 0.2),
    hit('The block time of Base is two seconds, as “documented.”', 0.9),
  ]
  assert.deepEqual(composeAnswer({ query: 'What is the block time of Base?', hits }), {
    text: 'The block time of Base is two seconds, as “documented [3].”',
    citations: [3],
  })
})

test('a plural question matches a singular sentence, and vice versa', () => {
  const answered = {
    'What are the fees?': 'The fee of a call is one cent.',
    'How often does Base make a block?': 'Base makes blocks every two seconds.',
  }
  for (const [query, content] of Object.entries(answered))
    assert.deepEqual(composeAnswer({ query, hits: [hit(content)] })?.citations, [1], query)
  // The query is about the glass, which the text does not mention; a final s that belongs to the word is
  // kept.
  assert.equal(composeAnswer({ query: 'glass', hits: [hit('The glas of old spellings is drunk.')] }), null)
})

test('duplicate sentences are quoted once', () => {
  const hits = [hit('Base makes a block every two seconds.'), hit('Base makes a block every two seconds!')]
  assert.deepEqual(composeAnswer({ query: 'base block seconds', hits })?.citations, [1])
})

test('questions, headings and unrelated sentences are not answers', () => {
  const hits = [
    hit('What is the block time of Base?'),
    hit('The block time of Base'),
    hit('Cakes are baked today.'),
  ]
  assert.equal(composeAnswer({ query: 'block time of Base', hits }), null)
  assert.equal(composeAnswer({ query: 'block time of Base', hits: [] }), null)
})

test('another form of a verb, words of the title and words that no result has do not hide an answer', () => {
  const tides = hit('Tides are caused by the gravitational pull of the moon and the sun.')
  assert.deepEqual(
    composeAnswer({ query: 'What causes tides?', hits: [tides, hit('Tide tables list tides.')] }),
    {
      text: 'Tides are caused by the gravitational pull of the moon and the sun [1].',
      citations: [1],
    },
  )
  const bread = hit('Preheat the oven to 250 °C before you bake the sourdough.')
  const heat = { query: 'how hot should the oven be for sourdough', hits: [bread] }
  assert.deepEqual(composeAnswer(heat)?.citations, [1])
  const proxy = { ...hit('Unless it is changed, the idle timeout is 60 seconds.'), title: 'Acme proxy' }
  const cake = hit('A timeout is a pause of a game.')
  assert.deepEqual(
    composeAnswer({ query: 'acme proxy idle timeout default', hits: [cake, proxy] })?.citations,
    [2],
  )
  // One of three words is found.
  const word = hit('Tomorrow is the day after today.')
  assert.equal(composeAnswer({ query: 'weather in Berlin tomorrow', hits: [word] }), null)
})

test('a snippet that an upstream cut or sent without a full stop is quoted if nothing else answers', () => {
  const cut = hit('Tides are caused by the gravitational pull of the moon on the …')
  assert.deepEqual(composeAnswer({ query: 'What causes tides?', hits: [cut] }), {
    text: 'Tides are caused by the gravitational pull of the moon on the … [1]',
    citations: [1],
  })
  const bare = hit('Tides are caused by the gravitational pull of the moon and the sun')
  assert.match(composeAnswer({ query: 'What causes tides?', hits: [bare] })?.text ?? '', /the sun \[1\]$/)
  const whole = hit('Tides are caused by the moon and the sun.')
  assert.deepEqual(composeAnswer({ query: 'What causes tides?', hits: [cut, bare, whole] })?.citations, [3])
})

test('the date that an upstream puts before a snippet is no part of a quotation', () => {
  for (const date of ['Mar 3, 2021 ... ', '3 Mar 2021 — ', '2 days ago · '])
    assert.equal(
      composeAnswer({ query: 'What causes tides?', hits: [hit(`${date}Tides are caused by the moon.`)] })
        ?.text,
      'Tides are caused by the moon [1].',
    )
})

test('footnotes are not answers', () => {
  const note = hit('"WebAPI/DataStore", MozillaWiki, the Mozilla Foundation, founded, retrieved May 2014.')
  const text = hit('Mozilla was founded in 1998 by Mitchell Baker and others of Netscape.', 0.5)
  assert.deepEqual(composeAnswer({ query: 'who founded mozilla', hits: [note, text] })?.citations, [2])
  assert.equal(composeAnswer({ query: 'who founded mozilla', hits: [note] }), null)
})

const ANSWERS: readonly (readonly [query: string, content: string, isAnswer: boolean])[] = [
  ['Who developed Obsidian?', 'Obsidian was developed by Dynalist Inc. in Canada.', true],
  ['Who developed Obsidian?', 'Obsidian has received generally favorable reviews.', false],
  ['Who bought Yahoo?', 'Much would be different if only Yahoo had bought Snapchat.', false],
  ['Who wrote Emma?', 'Emma is a novel written by Jane Austen in 1815.', true],
  ['When was the tower opened?', 'The tower was opened in 1889 for a fair.', true],
  ['When was the tower opened?', 'The tower was opened by the mayor.', false],
  ['When did Ann Lee die?', 'Ann Lee (1 May 1901 – 2 June 1980) was a painter.', true],
  ['When did Ann Lee die?', 'Ann Lee was a painter who did not like to die.', false],
  ['How many moons does Mars have?', 'Mars has two moons, Phobos and Deimos.', true],
  ['How many moons does Mars have?', 'The moons of Mars have odd shapes.', false],
  ['How tall is the tower?', 'The tower is 330 m tall.', true],
  ['How tall is the tower?', 'The tower, tall as it is, had 7 million visitors.', false],
  ['Where is the Louvre?', 'The Louvre is a museum in Paris, France.', true],
  ['Where is the Louvre?', 'The Louvre is a museum that most people like.', false],
  ['What is a stanza?', 'A stanza is a unit within a larger poem.', true],
  ['What is a stanza?', 'The first stanza was sung by a choir.', false],
  ['What is remoteStorage?', 'I literally tore the house apart looking for my remote control.', false],
  ['Why is the sky blue?', 'The sky is blue because air scatters blue light more than red.', true],
  ['Why is the sky blue?', 'The sky is blue on most days of the year.', false],
  ['Wer ist der Bundeskanzler?', 'Der Bundeskanzler ist seit dem 6. Mai 2025 Friedrich Merz.', true],
  ['Wann wurde der Turm eröffnet?', 'Der Turm wurde 1889 eröffnet.', true],
  ['What does SHIELD stand for?', 'SHIELD is a fictional agency of comics.', false],
]

test('a sentence answers only a question of its kind', () => {
  for (const [query, content, isAnswer] of ANSWERS)
    assert.equal(composeAnswer({ query, hits: [hit(content)] }) !== null, isAnswer, `${query} ${content}`)
})

test('a negation next to the answer is never left out', () => {
  const [first, second] = [
    'Ibuprofen is not usually recommended in pregnancy.',
    'Paracetamol is usually recommended in pregnancy instead of ibuprofen.',
  ]
  const query = 'is ibuprofen safe during pregnancy'
  const answer = composeAnswer({ query, hits: [hit(`${second} ${first}`), hit(second)] })
  assert.match(answer?.text ?? '', /^Ibuprofen is not usually recommended in pregnancy \[1\]/)
})

test('every sentence of an answer occurs in the result that it cites', () => {
  const word = fc.constantFrom('sea', 'moon', 'tide', 'the', 'wall.', 'stone!', 'Harbour', '[2]')
  const content = fc.array(word, { maxLength: 30 }).map((words) => words.join(' '))
  fc.assert(
    fc.property(fc.array(content, { maxLength: 6 }), (contents) => {
      const answer = composeAnswer({ query: 'tide of the sea', hits: contents.map((text) => hit(text)) })
      if (!answer) return
      assert.ok(answer.citations.length > 0 && answer.citations.length <= 3)
      assert.ok(answer.citations.every((number) => contents[number - 1] !== undefined))
      assert.ok(answer.citations.some((number) => answer.text.includes(` [${number}]`)))
    }),
  )
})
