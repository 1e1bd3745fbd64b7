import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import { issuesOf, runEndpoint, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { writePdf } from '@tollbook/testing/write-pdf'
import { createWorkerPool } from '@tollbook/workers/pool'
import { createLanguageNames } from '../../../translate/language/language-names.ts'
import type { LanguagePair } from '../../../translate/language/language-pair.ts'
import type { Provider, TranslationBackend } from '../../../translate/translation-backend.ts'
import { createTranslator } from '../../../translate/translator.ts'
import { translateText } from './endpoint.ts'

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())

const EN_ES = { source: 'en', target: 'es' }
/** Answers in capitals, or fails with the error it was created with. */
function capitals(provider: Provider, pairs: readonly LanguagePair[] | 'any', failure?: ProblemError) {
  const backend: TranslationBackend = {
    provider,
    pauseSeconds: () => 0,
    knownPairs: () => pairs,
    loadPairs: async () => pairs,
    async translate(segments) {
      if (failure) throw failure
      return segments.map((pieces) =>
        pieces.map((one) => (typeof one === 'string' ? one.toUpperCase() : one)),
      )
    },
  }
  return backend
}

const portsOf = (...backends: readonly TranslationBackend[]) => ({
  workers,
  translator: createTranslator(backends, createLanguageNames()),
})
const run = (provided: object, ports: object) =>
  runEndpoint(translateText, { target: 'Spanish', ...provided }, { ports })
const refusalOf = async (provided: object, ports: object) => {
  const error = await run(provided, ports).catch((reason: unknown) => reason)
  assert.ok(error instanceof ProblemError, String(error))
  return `${error.problem.code}: ${error.problem.detail}`
}

test('a text is translated, its language detected, and everything except prose preserved', async () => {
  const text = '# The *house*\r\n\r\nRead `the code` at https://x.test, {name}.\n\n```\ncode\n```\n'
  const answer = await run({ text }, portsOf(capitals('llm', 'any')))
  const { confidence, ...source } = answer.source_language
  assert.deepEqual(
    { ...answer, source_language: source },
    {
      translation: '# THE *HOUSE*\r\n\r\nREAD `the code` AT https://x.test, {name}.\n\n```\ncode\n```\n',
      source_language: { code: 'en', name: 'English' },
      target_language: { code: 'es', name: 'Spanish' },
      characters: [...text].length,
      provider: 'llm',
      ts: TEST_TIME.toISOString(),
    },
  )
  assert.ok(confidence > 0.5 && confidence <= 1)
  const named = await run({ text, source: 'eng' }, portsOf(capitals('llm', 'any')))
  assert.deepEqual(named.source_language, { code: 'en', name: 'English', confidence: null })
})

test('the example is the answer of a backend that returns its words', async () => {
  const spanish: TranslationBackend = {
    ...capitals('bergamot', [EN_ES]),
    translate: async () => [['La casa'], ['La casa ', 0, 'pequeña', 1, ' está cerca de ', 2, '.']],
  }
  const { input, output } = translateText.example
  assert.deepEqual(await runEndpoint(translateText, input, { ports: portsOf(spanish) }), output)
})

const PDF = writePdf([
  [
    [72, 700, 24, 'Harbours of the north'],
    [72, 670, 11, 'The oldest harbour was built of oak and has been repaired every cen-'],
    [72, 656, 11, 'tury since. See https://x.test for the names of those who paid for it.'],
  ],
])
const HTML = `<html><title>Tides</title><body><nav><a href="/">Home</a><a href="/all">All posts</a></nav><article><h1>Tides</h1>
<p>The <a href="https://x.test/moon">moon</a> pulls the sea, the sun pulls it too, and where the two agree the water stands highest.</p>
<p>Where they disagree, the water stands lowest of all, and the ships wait for a week.</p></article></body></html>`
const sendFile = async (contentType: string, content: string | Uint8Array, provided = {}) => {
  const options = {
    ports: portsOf(capitals('llm', 'any')),
    file: { contentType, bytes: Buffer.from(content) },
  }
  const input = { target: 'Spanish', file: new File([], 'a'), ...provided }
  return (await runEndpoint(translateText, input, options)).translation
}

test('a document is translated as the Markdown or the text that it reads as', async () => {
  const url = 'https://x.test'
  assert.equal(
    await sendFile('application/pdf', PDF),
    `# HARBOURS OF THE NORTH\n\nTHE OLDEST HARBOUR WAS BUILT OF OAK AND HAS BEEN REPAIRED EVERY CENTURY SINCE. SEE ${url} FOR THE NAMES OF THOSE WHO PAID FOR IT.\n`,
  )
  const page =
    '# TIDES\n\nTHE [MOON](https://x.test/moon) PULLS THE SEA, THE SUN PULLS IT TOO, AND WHERE THE TWO AGREE THE WATER STANDS HIGHEST.\n\nWHERE THEY DISAGREE, THE WATER STANDS LOWEST OF ALL, AND THE SHIPS WAIT FOR A WEEK.\n'
  assert.equal(await sendFile('text/html', HTML), page)
  const answer = await run({ html: HTML }, portsOf(capitals('llm', 'any')))
  // The same words in small letters, without the address of the link, which has the same length in both.
  assert.deepEqual([answer.translation, answer.characters], [page, page.length])
  assert.equal(
    await sendFile('text/html', HTML, { format: 'text' }),
    page.replace('# ', '').replace('[MOON](https://x.test/moon)', 'MOON').trimEnd(),
  )
  assert.equal(await sendFile('text/markdown', '# The house\n\n`code`\n'), '# THE HOUSE\n\n`code`\n')
  assert.equal(await sendFile('text/plain', 'The house is red.\n'), 'THE HOUSE IS RED.\n')
})

test('a document whose text is too long, or that has no words, is refused and not charged', async () => {
  // 8,000 characters with the line break, and one more.
  assert.equal((await sendFile('text/markdown', `The ${'x'.repeat(7_995)}\n`)).length, 8_000)
  const refused = [
    ['text/markdown', `The ${'x'.repeat(7_996)}\n`, /^cannot_be_served: .* more than 8000 characters/],
    ['text/plain', 'The house. '.repeat(100_000), /^cannot_be_served: .* more than 8000 characters/],
    ['application/json', '{"a": "The house"}', /^cannot_be_served: There is nothing to translate/],
    ['application/pdf', '%PDF-1.7 nothing', /^cannot_be_served: /],
    ['text/plain', ' \n', /^cannot_be_served: The document is empty/],
  ] as const
  for (const [type, content, message] of refused)
    await assert.rejects(sendFile(type, content), { message }, `${type} ${content.slice(0, 20)}`)
})

test('the next backend is used if one fails, and the first failure is reported if all do', async () => {
  const failure = new ProblemError({ code: 'upstream_timeout', detail: 'It took too long.' })
  const failing = capitals('llm', 'any', failure)
  const other = capitals('libretranslate', [EN_ES])
  const text = 'The house is red.'
  assert.equal((await run({ text }, portsOf(failing, other))).provider, 'libretranslate')
  assert.equal((await run({ text }, portsOf(other, failing))).provider, 'libretranslate')
  assert.equal(await refusalOf({ text }, portsOf(failing)), 'upstream_timeout: It took too long.')
  const another = capitals('libretranslate', [{ source: 'de', target: 'es' }])
  assert.equal(await refusalOf({ text }, portsOf(failing, another)), 'upstream_timeout: It took too long.')
})

test('an unsupported pair is rejected with the supported pairs, before payment if they are known', async () => {
  const ports = portsOf(capitals('bergamot', [EN_ES, { source: 'es', target: 'en' }]))
  const issues = (provided: object) =>
    issuesOf(translateText, { text: 'Das Haus ist rot.', target: 'es', ...provided }, ports).map(
      ({ parameter, code, detail }) => `${parameter} ${code ?? 'invalid_request'}: ${detail}`,
    )
  const PAIRS = 'The pairs are en to es, es to en'
  assert.deepEqual(issues({ source: 'de' }), [
    `target cannot_be_served: is not available: No backend translates from German to Spanish. ${PAIRS}`,
  ])
  assert.deepEqual(issues({ target: 'Greek' }), [
    `target cannot_be_served: is not available: No backend translates to Greek. ${PAIRS}`,
  ])
  assert.deepEqual(issues({ source: 'es' }), ['target cannot_be_served: is already the language of the text'])
  assert.match(issues({ target: 'Klingonese' })[0] ?? '', /^target invalid_request: must be a known language/)
  assert.match(issues({ source: 'xx' })[0] ?? '', /^source invalid_request: must be a known language/)
  assert.deepEqual(issues({}), [])
  assert.equal(
    await refusalOf({ text: 'Das kleine Haus ist rot und steht am Meer.' }, ports),
    `cannot_be_served: No backend translates from German to Spanish. ${PAIRS}.`,
  )
})

test('a text that is already in the target language, or in an undetectable one, is rejected', async () => {
  const ports = portsOf(capitals('bergamot', [EN_ES, { source: 'es', target: 'en' }]))
  assert.match(await refusalOf({ text: 'La casa pequeña está cerca del mar.' }, ports), /in Spanish already/)
  assert.match(await refusalOf({ text: 'ok' }, ports), /^cannot_be_served: The language .* set it in source/)
  assert.match(
    await refusalOf({ text: '`the code` https://x.test' }, ports),
    /^cannot_be_served: There is nothing/,
  )
})

test('without a backend the endpoint is not sold', () => {
  const availability = translateText.availability?.(portsOf())
  assert.ok(availability && !availability.isAvailable)
  assert.equal(availability.problem.code, 'not_configured')
  assert.match(availability.problem.detail, /tollbook models add bergamot-en-es/)
  assert.deepEqual(translateText.availability?.(portsOf(capitals('llm', 'any'))), { isAvailable: true })
  const paused = { ...capitals('llm', 'any'), pauseSeconds: () => 9 }
  const left = translateText.availability?.(portsOf(paused))
  assert.ok(left && !left.isAvailable)
  assert.equal(left.problem.retryAfterSeconds, 9)
})

test('invalid arguments are reported before payment', () => {
  const ports = portsOf(capitals('llm', 'any'))
  const parametersOf = (provided: object) =>
    issuesOf(translateText, { text: 'x', target: 'es', ...provided }, ports).map(({ parameter }) => parameter)
  assert.deepEqual(parametersOf({ text: '\u{20000}'.repeat(8_000) }), [])
  assert.deepEqual(parametersOf({ text: 'x'.repeat(8_001) }), ['text'])
  assert.deepEqual(parametersOf({ text: '123 !?' }), ['text'])
  assert.deepEqual(parametersOf({ format: 'html' }), ['format'])
  assert.deepEqual(parametersOf({ text: undefined }), ['text'])
  assert.deepEqual(parametersOf({ html: '<p>x' }), ['text'])
  assert.deepEqual(parametersOf({ text: undefined, html: '<p>x' }), [])
  const sent = { text: undefined, target: 'es', file: new File([], 'a') }
  const movie = { contentType: 'video/mp4', bytes: Buffer.from('x') }
  assert.deepEqual(
    issuesOf(translateText, sent, ports, movie).map(({ code }) => code),
    ['unsupported_media_type'],
  )
})

test('a document is split in a worker, within its deadline', async () => {
  const hasty = createWorkerPool({ threads: 1, deadlineScale: 1e-4 })
  const refusal = await refusalOf(
    { text: 'The house', source: 'en' },
    { ...portsOf(capitals('llm', 'any')), workers: hasty },
  )
  assert.equal(refusal, 'upstream_timeout: The input takes too long to process.')
  await hasty.close()
})
