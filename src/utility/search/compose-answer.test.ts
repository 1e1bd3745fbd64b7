import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/property.ts'
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
    text: 'The block time of Base is two seconds, as “documented [3].” Base produces a block about every two seconds [1].',
    citations: [1, 3],
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
  const text = hit('Mozilla was founded in 1998 by members of Netscape.', 0.5)
  assert.deepEqual(composeAnswer({ query: 'who founded mozilla', hits: [note, text] })?.citations, [2])
  assert.equal(composeAnswer({ query: 'who founded mozilla', hits: [note] }), null)
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
