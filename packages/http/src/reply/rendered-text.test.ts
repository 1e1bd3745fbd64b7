import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createRenderCache, toRenderedText } from './rendered-text.ts'

/** Renders texts of 100 characters, which count 3 bytes each, under keys of one character, which count 2. */
function openCache(maxBytes: number) {
  const cache = createRenderCache(maxBytes)
  const made: string[] = []
  return {
    made,
    async ask(key: string) {
      await cache.render(key, () => {
        made.push(key)
        return toRenderedText(key.repeat(100))
      })
    },
  }
}

test('a cached text is not rendered again', async () => {
  const { ask, made } = openCache(1000)
  for (const key of ['a', 'a', 'b', 'a']) await ask(key)
  assert.deepEqual(made, ['a', 'b'])
})

test('the least recently used text is evicted first', async () => {
  // Three texts take 906.
  const { ask, made } = openCache(910)
  for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await ask(key)
  assert.deepEqual(made, ['a', 'b', 'c', 'd', 'b'])
})

test('a text larger than the cache is returned but not cached', async () => {
  const { ask, made } = openCache(100)
  await ask('a')
  await ask('a')
  assert.deepEqual(made, ['a', 'a'])
})

test('rendering is retried after an error', async () => {
  const cache = createRenderCache(1000)
  await assert.rejects(
    cache.render('a', () => Promise.reject(new Error('no'))),
    /no/,
  )
  assert.equal((await cache.render('a', () => toRenderedText('yes'))).body, 'yes')
})

test('the compressed form decompresses to the text, and is created once', async () => {
  const text = toRenderedText('Ü'.repeat(2000))
  const packed = await text.packed()
  assert.equal(gunzipSync(packed).toString(), text.body)
  assert.equal(await text.packed(), packed)
})

test('different texts have different validators', () => {
  assert.notEqual(toRenderedText('a').etag, toRenderedText('b').etag)
  assert.equal(toRenderedText('a').etag, toRenderedText('a').etag)
})
