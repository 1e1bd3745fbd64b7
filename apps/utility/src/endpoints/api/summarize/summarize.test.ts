import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { createWorkerPool } from '@tollbook/workers/pool'
import { summarize } from './endpoint.ts'

const TEXT = [
  'The harbour wall of Saint-Malo was raised by two metres after the storm flooded the market.',
  'Fishermen had asked for it for thirty years, and paid for half of the stones themselves.',
  'The council says that the raised wall will hold the sea back until the end of the century.',
  'A bakery opened on the same day, and its bread was gone within the hour.',
]
const PAGE = `<!doctype html><html lang="en"><head><title>Harbour wall raised</title></head><body>
<nav><a href="/">Home is where the menu of this page lists all of its sections.</a></nav><article>
<h1>Harbour wall raised</h1><p>${TEXT[0]} ${TEXT[1]}</p><p>${TEXT[2]}</p><p>${TEXT[3]}</p></article></body></html>`

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
const fetch = createSafeFetch({ allowPrivateNetwork: true })
let site: Awaited<ReturnType<typeof servePages>>
before(async () => {
  site = await servePages({ '/post': PAGE, '/empty': '<html><body></body></html>', '/gone': { status: 410 } })
})
after(async () => {
  site.close()
  await workers.close()
})

const ask = (provided: object) => runEndpoint(summarize, provided, { ports: { fetch, workers } })

test('a page is summarized in its own sentences, in their order, with counts', async () => {
  const answer = await ask({ url: `${site.url}/post`, sentences: 2 })
  assert.deepEqual([answer.status, answer.title, answer.lang], [200, 'Harbour wall raised', 'en'])
  // Words of the four sentences; Saint-Malo counts as two.
  assert.deepEqual([answer.sentence_count, answer.word_count], [4, 17 + 16 + 18 + 15])
  assert.deepEqual(
    answer.sentences.map(({ text }: { text: string }) => text),
    [TEXT[0], TEXT[2]],
  )
  assert.equal(answer.summary, `${TEXT[0]} ${TEXT[2]}`)
  assert.equal(answer.summary_words, 17 + 18)
  // 35 / 66 = 0.53030
  assert.equal(answer.compression, 0.5303)
})

test('a page sent as HTML is summarized as the same page at a URL, and is not fetched', async () => {
  const { url, final_url, status, fetch_ms, ...fetched } = await ask({ url: `${site.url}/post` })
  const sent = await ask({ html: PAGE })
  assert.deepEqual(sent, { ...fetched, url: null, final_url: null, status: null, fetch_ms: null })
  const based = await ask({ html: PAGE, url: 'https://no-such-host.invalid/' })
  assert.equal(based.url, 'https://no-such-host.invalid/')
})

test('a text is summarized without a page, and deterministically', async () => {
  const provided = { text: TEXT.join('\n'), title: 'Harbour wall raised', sentences: 2 }
  const answer = await ask(provided)
  assert.equal(answer.summary, `${TEXT[0]} ${TEXT[2]}`)
  assert.deepEqual([answer.url, answer.status, answer.fetch_ms, answer.lang], [null, null, null, 'en'])
  assert.deepEqual(await ask(provided), answer)
})

test('lines broken within sentences are joined if empty lines separate paragraphs', async () => {
  const answer = await ask({
    text: 'The harbour wall\nwas raised by two metres.\n\nNobody asked why it was.',
  })
  assert.equal(answer.sentence_count, 2)
  assert.equal(answer.sentences[0].text, 'The harbour wall was raised by two metres.')
})

test('a page without sentences, or gone, is rejected and not charged', async () => {
  await assert.rejects(ask({ url: `${site.url}/empty` }), { message: /^cannot_be_served: The page has no/ })
  await assert.rejects(ask({ text: ' \n ' }), { message: /^cannot_be_served: The text has no/ })
  await assert.rejects(ask({ url: `${site.url}/gone` }), { message: /^upstream_failed/ })
})

test('lines of links are not summarized', async () => {
  const link = (text: string) => `<p>Read also: <a href="/x">${text}</a></p>`
  const html = PAGE.replace(
    '</h1>',
    `</h1>${link(TEXT[0] as string)}${link('Follow the harbour wall live all day.')}`,
  )
  const { summary, sentence_count } = await ask({ html, sentences: 4 })
  assert.equal(summary, TEXT.join(' '))
  assert.equal(sentence_count, 4)
})

test('a page of links alone is summarized from them', async () => {
  const html = `<main>${TEXT.map((text) => `<p><a href="/x">${text}</a></p>`).join('')}</main>`
  assert.equal((await ask({ html, sentences: 1 })).sentences.length, 1)
})

test('a listing without prose is refused without charge', async () => {
  const items = Array.from({ length: 12 }, (_, at) => `<li>Kettle ${at} steel <b>EUR 1${at}.00</b></li>`)
  const html = `<title>Kettles</title><main><h1>Kettles</h1><ul>${items.join('')}</ul></main>`
  await assert.rejects(ask({ html }), { message: /^cannot_be_served: The page has no sentences/ })
})

test('fragments of a text are separated by punctuation', async () => {
  const { summary } = await ask({ text: 'Share this\nRead more' })
  assert.equal(summary, 'Share this. Read more')
})

test('the language is detected if neither the page nor the caller declares it', async () => {
  const german =
    'Die Hafenmauer wurde nach dem Sturm um zwei Meter erhöht. Die Fischer hatten dreißig Jahre lang darum gebeten.'
  assert.equal((await ask({ html: `<article><p>${german}</p></article>` })).lang, 'de')
  assert.equal((await ask({ text: german })).lang, 'de')
  assert.equal((await ask({ text: german, lang: 'de-CH' })).lang, 'de-CH')
  assert.equal((await ask({ text: '12 34 56' })).lang, null)
})

test('invalid arguments are reported before payment', () => {
  const parametersOf = (provided: object) => issuesOf(summarize, provided).map(({ parameter }) => parameter)
  const url = 'https://example.com/'
  assert.deepEqual(parametersOf({}), ['url'])
  assert.deepEqual(parametersOf({ url, text: 'x', lang: 'en' }), ['text', 'lang'])
  assert.deepEqual(parametersOf({ text: 'x', lang: 'no such language' }), ['lang'])
  assert.deepEqual(parametersOf({ url, sentences: 21 }), ['sentences'])
})
