import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { isProse } from './is-prose.ts'
import { rankCentrality } from './rank-centrality.ts'
import { summarize } from './summarize.ts'

const OPTIONS = { title: null, lang: 'en', sentences: 2 }

test('a sentence that shares words with the others is chosen before an unrelated one', () => {
  const { chosen, sentenceCount } = summarize(
    [
      'My aunt keeps seven green parrots upstairs.',
      'The moon pulls the water of the sea. The sun pulls the water of the sea less. Water rises where moon and sun pull the sea together.',
    ],
    { ...OPTIONS, title: 'How moon and sun pull the sea', sentences: 1 },
  )
  assert.equal(sentenceCount, 4)
  assert.match(chosen[0]?.text ?? '', /sea/)
})

test('repeated content is not chosen again', () => {
  const repeated = 'The harbour wall was raised after the storm flooded the market.'
  const { chosen } = summarize(
    [repeated, repeated, 'Fishermen paid for half of the stones themselves.'],
    OPTIONS,
  )
  assert.deepEqual(
    chosen.map(({ index }) => index),
    [0, 2],
  )
})

test('a nearly repeated sentence is left out, even if nothing else is left', () => {
  const text = 'The harbour wall was raised after the storm flooded the market.'
  const { chosen, sentenceCount } = summarize(
    Array.from({ length: 5 }, () => text),
    { ...OPTIONS, sentences: 5 },
  )
  assert.deepEqual([chosen.map(({ index }) => index), sentenceCount], [[0], 5])
  const varied = summarize([text, text.replace('.', '!'), text.toUpperCase()], { ...OPTIONS, sentences: 5 })
  assert.equal(varied.chosen.length, 1)
})

test('prices and labels are chosen only if there is no prose', () => {
  const prices = 'Kettle EUR 101.00 Toaster EUR 102.00 Mixer EUR 103.00 Blender EUR 104.00'
  const sentence = 'All prices include tax and delivery within the city.'
  assert.deepEqual(
    summarize([prices, sentence], OPTIONS).chosen.map(({ index }) => index),
    [1],
  )
  assert.equal(summarize([prices], OPTIONS).chosen[0]?.text, prices)
})

test('prose ends with punctuation, is long, or is in a script without spaces', () => {
  const prose = [
    'The wall was raised after the storm.',
    '“Was it raised after the storm?”',
    'La pared fue levantada después de la tormenta…',
    '潮は月の引力によって一日に二回満ち引きする',
    'यह दीवार तूफान के बाद ऊँची की गई।',
    'a note without an end that still runs on and on like people write in chats every day',
  ]
  const other = [
    'Read more',
    'Trail Runner 3 blue shoes $129.00',
    'EUR 101.00 EUR 102.00 EUR 103.00.',
    'Home News Sport Weather Shop Travel',
    'Kettle for two cups of tea made of steel with a long handle and a lid EUR 49.90',
  ]
  assert.deepEqual([...prose, ...other].filter(isProse), prose)
})

test('the first of equal sentences is chosen', () => {
  const text = ['Alpha beta gamma delta epsilon.', 'Zeta eta theta iota kappa.']
  const [first] = summarize(text, { ...OPTIONS, sentences: 1 }).chosen
  assert.equal(first?.index, 0)
})

test('captions are chosen only if there are no sentences', () => {
  const sentence = 'The wall was raised after the storm flooded the market.'
  assert.deepEqual(
    summarize(['Share this', sentence, 'Read more'], OPTIONS).chosen.map(({ index }) => index),
    [1],
  )
  assert.equal(summarize(['Share this'], OPTIONS).chosen[0]?.text, 'Share this')
  assert.deepEqual(summarize([], OPTIONS), { chosen: [], sentenceCount: 0 })
})

test('among equally central sentences, one of ordinary length is chosen', () => {
  const short = 'Harbour wall raised last year.'
  const plain = 'Workers of the harbour raised its wall by two metres last year, for storms to come.'
  const long = `${plain.slice(0, -1)}, and ${Array.from({ length: 60 }, (_, at) => `stone${at}`).join(' ')}.`
  const { chosen } = summarize([short, plain, long], { ...OPTIONS, sentences: 1 })
  assert.equal(chosen[0]?.text, plain)
})

test('a text without a full stop is split at the maximum sentence length', () => {
  const [only] = summarize(['word '.repeat(100_000)], OPTIONS).chosen
  assert.equal(only?.text.length, 5_000)
})

test('centrality of three sentences, two of which are similar', () => {
  const pair = new Map([['sea', 1]])
  const ranks = rankCentrality([pair, pair, new Map([['parrot', 1]])])
  // The third is similar to none, so a third of its rank r goes to each: r = 0.05 + 0.85 r / 3, so r = 0.15 /
  // 2.15, and the two share the rest, (1 - r) / 2 each.
  const alone = 0.15 / 2.15
  const expected = [(1 - alone) / 2, (1 - alone) / 2, alone]
  for (const [index, rank] of ranks.entries()) assert.ok(Math.abs(rank - (expected[index] ?? 0)) < 1e-3)
})

test("the summary of any text is deterministic, in the text's own words and order", () => {
  const word = fc.constantFrom('sea', 'moon', 'the', 'Wall', 'tide.', 'stone?', '月。', 'Mr.', '12')
  const paragraph = fc.array(word, { maxLength: 40 }).map((words) => words.join(' '))
  fc.assert(
    fc.property(fc.array(paragraph, { maxLength: 8 }), fc.integer({ min: 1, max: 6 }), (text, sentences) => {
      const options = { title: 'The sea', lang: null, sentences }
      const { chosen, sentenceCount } = summarize(text, options)
      assert.deepEqual(summarize(text, options).chosen, chosen)
      assert.ok(chosen.length <= Math.min(sentences, sentenceCount))
      assert.ok(chosen.every(({ index }, at) => index > (chosen[at - 1]?.index ?? -1)))
      assert.ok(chosen.every((one) => text.some((whole) => whole.includes(one.text))))
      assert.ok(chosen.every(({ score }) => score >= 0 && score <= 1))
    }),
  )
})

test('a text of thousands of sentences is summarised from its whole length within seconds', () => {
  const filler = Array.from(
    { length: 5_000 },
    (_, at) => `Line ${at} of stones number ${at * 7} and ${at * 13}.`,
  )
  filler[4_000] = 'The harbour wall holds the sea back from the market.'
  const before = process.cpuUsage()
  const { chosen } = summarize(filler, { title: 'Harbour wall and sea market', lang: 'en', sentences: 3 })
  assert.ok(process.cpuUsage(before).user < 5_000_000)
  assert.equal(chosen.length, 3)
})
