import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { eld } from 'eld/extrasmall'
import { loadDetector, parseNgramTable } from './detect-language.ts'

/**
 * The beginning of the first article of the Universal Declaration of Human Rights, in ten languages and seven
 * scripts.
 */
const TEXTS = [
  'All human beings are born free and equal in dignity and rights.',
  'Alle Menschen sind frei und gleich an Würde und Rechten geboren.',
  "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti, e l'uno verso l'altro fratelli.",
  'Todos los seres humanos nacen libres e iguales en dignidad y derechos.',
  'Все люди рождаются свободными и равными в своем достоинстве и правах.',
  'يولد جميع الناس أحراراً متساوين في الكرامة والحقوق.',
  'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。',
  '人人生而自由,在尊严和权利上一律平等。',
  'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।',
  'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.',
]

test('a detector over the text of a table returns the same as the entry of that table', async () => {
  const own = await loadDetector('extrasmall')
  for (const text of [...TEXTS, '', '?', 'constructor __proto__ toString']) {
    const [found, expected] = [own.detect(text), eld.detect(text)]
    assert.deepEqual(found.getScores(), expected.getScores(), text)
    assert.equal(found.isReliable(), expected.isReliable(), text)
  }
})

test('the large table is readable to its end', async () => {
  const detector = await loadDetector('large')
  const found = TEXTS.map((text) => detector.detect(text).language)
  assert.deepEqual(found, ['en', 'de', 'it', 'es', 'ru', 'ar', 'ja', 'zh', 'hi', 'el'])
  const entry = import.meta.resolve('eld/large')
  const { ngrams } = parseNgramTable(await readFile(new URL('../ngrams/large.js', entry), 'utf8'))
  // The first entry of the file, the first one with a quote in it, and the last one.
  assert.deepEqual(ngrams['5656'], { 44: 0 })
  assert.deepEqual(ngrams[" 'Lé4"], { 0: 52 })
  assert.deepEqual(ngrams[' "WV '], { 59: 0 })
  assert.equal(ngrams.nope_, undefined)
})

test('a table in another format is rejected', () => {
  const head = "export const ngramsData = {type:'L1',languages:{0:'am'},isSubset:false,ngrams:{"
  assert.deepEqual(parseNgramTable(`${head}'{:{':{0:7}}};`).ngrams['{:{'], { 0: 7 })
  assert.throws(() => parseNgramTable('export const ngrams = {}'), /unexpected start/)
  assert.throws(() => parseNgramTable(`${head}'ab':[1]}};`), /unexpected format of the n-gram table at 79/)
})
