import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/property.ts'
import { ProblemError } from '../../../http/problem.ts'
import { splitDocument } from '../document/split-document.ts'
import { translateSegments } from '../translate-segments.ts'
import type { Pieces } from '../translation-backend.ts'
import { openApertium, parseModes } from './apertium.ts'
import { fromStream, toStream } from './apertium-stream.ts'
import { runApertium } from './run-apertium.ts'

const signal = new AbortController().signal
const pair = { source: 'en', target: 'es' }
const apertium = await openApertium(signal)
const pairs = apertium?.knownPairs() ?? []
const hasSpanish = pairs !== 'any' && pairs.some(({ source, target }) => source === 'en' && target === 'es')
const installed = { skip: hasSpanish ? false : 'Apertium with its English-Spanish pair is not installed' }

test('language pairs are read from the list of modes', () => {
  // ISO 639-3 as in newer pairs, ISO 639-1 as in older ones, and a mode that does not translate.
  assert.deepEqual(parseModes('  eng-spa\n  spa-eng_US\n  en-gl\n  spa-cat_valencia\n  eng-spa-tagger\n'), [
    { mode: 'eng-spa', source: 'en', target: 'es' },
    { mode: 'spa-eng_US', source: 'es', target: 'en-US' },
    { mode: 'en-gl', source: 'en', target: 'gl' },
    { mode: 'spa-cat_valencia', source: 'es', target: 'ca-valencia' },
  ])
})

const pieces = fc.array(fc.oneof(fc.string({ minLength: 1, maxLength: 9 }), fc.nat(20)), {
  minLength: 1,
  maxLength: 5,
})

test('text survives a round trip through the stream format', () => {
  // Apertium may only change blanks before points, capitals and white space at the start.
  const toText = (segment: Pieces) =>
    segment
      .map((piece) => (typeof piece === 'number' ? `<${piece}>` : piece))
      .join('')
      .replace(/ ([,.;:!?])/g, '$1')
      .trim()
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 4 }), (segments) => {
      const read = fromStream(toStream(segments), segments)
      assert.deepEqual(read?.map(toText), segments.map(toText))
    }),
  )
})

test('a stream that lost a segment is rejected', () => {
  const segments = [['one'], ['two'], ['three']]
  assert.equal(fromStream('uno.[][T0]\ntres.[][T2]', segments), null)
  assert.equal(fromStream('uno.[][T0]\ndos.[][T1]', segments), null)
})

test('English becomes Spanish, and masked parts come back', installed, async () => {
  assert.ok(apertium)
  const document = `# The house

The **small** house is red[^1], see [the program](https://x.test/a_b) or \`code\`.
It is {name}'s house; {{x}} & %s <b>big</b> \\* | ⟦0⟧ 5 < 6 [x] wordxyz_1.

| The house | unknownwordxyz |
|---|---|
| the red car | \`x\` |
`
  const parts = splitDocument(document, 'markdown')
  const segments = parts.filter((part) => typeof part !== 'string')
  const texts = await translateSegments(apertium, segments, { pair, isMarkdown: true, signal })
  assert.deepEqual([texts[0], ...texts.slice(-3)], ['La casa', 'La casa', 'unknownwordxyz', 'el coche rojo'])
  const whole = texts.join('\n')
  assert.match(whole, /\*\*[^*]+\*\*/)
  for (const retained of [
    '](https://x.test/a_b)',
    '`code`',
    '[^1]',
    '{name}',
    '{{x}}',
    '%s',
    '\\*',
    '⟦0⟧',
    'wordxyz_1',
  ])
    assert.equal(whole.split(retained).length, 2, `${retained} in ${whole}`)
})

test(
  'a run that takes too long, or whose caller disconnects, is killed with all its programs',
  installed,
  async () => {
    const error = await runApertium(['-f', 'none', 'eng-spa'], {
      input: 'The house.\n',
      signal,
      deadlineMs: 1,
    }).catch((reason: unknown) => reason)
    assert.ok(error instanceof ProblemError)
    assert.equal(error.problem.code, 'upstream_timeout')
    const caller = new AbortController()
    const running = runApertium(['-f', 'none', 'eng-spa'], { input: 'The house.\n', signal: caller.signal })
    caller.abort(new Error('gone'))
    await assert.rejects(running, { message: 'gone' })
  },
)

test('a language pair that is not installed is an error', installed, async () => {
  await assert.rejects(runApertium(['-f', 'none', 'xxx-yyy'], { input: 'a\n', signal }), {
    message: 'upstream_failed: Apertium failed.',
  })
})
