import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestApp } from '@tollbook/testing/catalogue/test-app'

const app = createTestApp([])
const read = async (path: string) => (await app.request(path)).text()

test('a service has an icon, a description and a preview image of 1200x630 pixels', async () => {
  const text = await read('/')
  assert.match(text, /<link rel="icon" href="\/icon\.svg"/)
  assert.match(text, /<meta name="description" content="[^"]{10,}"/)
  const image = /<meta property="og:image" content="([^"]+)"/.exec(text)?.[1] ?? ''
  assert.equal(image, 'https://test.example/preview.png')
  assert.match(await read('/icon.svg'), /^<svg /)
  const preview = Buffer.from(await (await app.request(image)).arrayBuffer())
  // IHDR, https://www.w3.org/TR/png-3/#11IHDR: width and height follow the signature, a length and a name.
  assert.deepEqual([preview.readUInt32BE(16), preview.readUInt32BE(20)], [1200, 630])
})
