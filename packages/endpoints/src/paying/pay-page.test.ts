import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createTestApp } from '@tollbook/testing/catalogue/test-app'
import { fc } from '@tollbook/testing/property'
import { findAll, textContent } from 'domutils'
import { parseDocument } from 'htmlparser2'
import * as z from 'zod'
import { json } from '../answer.ts'
import { defineEndpoint } from '../endpoint.ts'
import type { Service } from '../service.ts'
import { renderPayPage } from './pay-page.ts'

const common = {
  summary: 'A row',
  description: 'Reads a row.',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  output: z.object({}),
  limits: { bodyBytes: 1024, timeoutMs: 1000 },
  handle: () => json({}),
} as const
const read = defineEndpoint({
  ...common,
  id: 'row',
  method: 'GET',
  path: '/api/rows/{row}',
  input: z.object({
    row: z.string(),
    word: z.string().max(50).describe('Any word.'),
    list: z.array(z.string()).optional(),
    token: z.string().optional(),
    mode: z.enum(['a', 'b']).default('a'),
    note: z.string().optional(),
  }),
  secrets: ['token'],
  headerFields: { 'x-token': 'token' },
  takesParameter: () => true,
  example: { input: { row: 'r', word: 'it', note: '<b>' }, output: {} },
})
const write = defineEndpoint({
  ...common,
  id: 'row.put',
  method: 'PUT',
  path: '/api/rows/{row}',
  effect: 'staged',
  input: z.object({ row: z.string(), body: z.array(z.number()) }),
  example: { input: { row: 'r', body: [1, 2] }, output: {} },
})
const service: Service = {
  name: 'utility',
  title: 'Test',
  description: 'A service of a test.',
  baseUrl: 'https://test.example',
  endpoints: [read, write],
  ports: {},
}
const terms = [{ scheme: 'exact' }] as const

async function renderDom(page: Pick<Parameters<typeof renderPayPage>[0], 'fromUrl'>) {
  const { body } = await renderPayPage({ ...page, service, endpoint: read, terms })
  const elements = findAll(() => true, parseDocument(body).children)
  return {
    // A value with a line break takes a textarea.
    tags: elements.map(({ name }) => (name === 'textarea' ? 'input' : name)).join(),
    field: (name: string) => {
      const found = elements.find(({ attribs }) => attribs.id === `input-${name}`)
      assert.ok(found, name)
      const [selected] = findAll(({ attribs }) => 'selected' in attribs, found.children)
      const attributes: Readonly<Record<string, string | undefined>> = found.attribs
      // As a browser reads it.
      const text = textContent(selected ?? found).replace(/^\n/, '')
      return { value: attributes.value ?? text, place: attributes['data-place'] }
    },
  }
}

test('whatever a URL contains, it becomes the value of its field and nothing else', async () => {
  const empty = await renderDom({ fromUrl: { path: { row: 'x' }, query: 'word=x&a=b' } })
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.constantFrom(
      '"><script>x</script>',
      `' onfocus=x autofocus '`,
      '</textarea><img src=x>',
      '`$`',
      '&lt;',
      '\na\nb\n',
    ),
  )
  await fc.assert(
    fc.asyncProperty(text, text, text, async (row, word, name) => {
      const query = new URLSearchParams([
        ['word', word],
        [`a${name}`, word],
      ]).toString()
      const document = await renderDom({ fromUrl: { path: { row }, query } })
      assert.equal(document.tags, empty.tags)
      assert.equal(document.field('row').value, row.toWellFormed())
      assert.equal(document.field('word').value, new URLSearchParams(query).get('word'))
    }),
  )
})

test('the script reads only elements that no input can hide members of', async () => {
  const { body } = await renderPayPage({
    service,
    endpoint: read,
    terms,
    fromUrl: { path: { row: 'r' }, query: 'dataset=x&addEventListener=x&querySelectorAll=x' },
  })
  const elements = findAll(() => true, parseDocument(body).children)
  const folder = new URL('browser/', import.meta.url)
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'))
  const source = scripts.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('')
  const ids = [...source.matchAll(/getElementById\('(\w+)'\)/g)].map(([, id]) => id)
  assert.ok(ids.includes('call'))
  for (const { name, attribs } of elements) {
    // Those with named members (https://html.spec.whatwg.org/multipage/dom.html#dom-document-nameditem).
    const hides = ['form', 'img', 'iframe', 'embed', 'object'].includes(name)
    assert.ok(!hides || !('id' in attribs || 'name' in attribs), name)
  }
  assert.doesNotMatch(source, /HTMLFormElement|querySelector(All)?\('form|document\.forms|\.form\b/)
})

test('without arguments the form has those of the example, with them those of the URL', async () => {
  const bare = await renderDom({ fromUrl: { path: {}, query: '' } })
  assert.equal(bare.field('word').value, 'it')
  assert.equal(bare.field('note').value, '<b>')
  const fromUrl = await renderDom({ fromUrl: { path: { row: 'r' }, query: 'list=a&list=b&mode=b' } })
  assert.equal(fromUrl.field('list').value, '["a","b"]')
  assert.equal(fromUrl.field('mode').value, 'b')
  assert.equal(fromUrl.field('note').value, '')
  assert.equal(fromUrl.field('row').place, 'path')
})

test('a secret of the URL is not written into the page', async () => {
  const { body } = await renderPayPage({
    service,
    endpoint: read,
    terms,
    fromUrl: { path: { row: 'r' }, query: 'token=hush-hush&word=x' },
  })
  assert.doesNotMatch(body, /hush-hush/)
  assert.match(body, /type="password"[^>]*data-place="header:x-token"/)
})

test('every link, script and form of a page that pays leads somewhere', async () => {
  const metered = defineEndpoint({
    ...common,
    id: 'row.metered',
    method: 'POST',
    path: '/api/metered-rows',
    pricing: { kind: 'metered', priceUsd: '0.01', minimumUsd: '0.001', isExactFirst: false },
    variant: { of: 'row', name: 'metered' },
    input: z.object({}),
    example: { input: {}, output: {} },
  })
  const app = createTestApp([read, write, metered])
  const open = async (path: string) => {
    const response = await app.request(path, { headers: { accept: 'text/html' } })
    const elements = findAll(() => true, parseDocument(await response.text()).children)
    return { status: response.status, elements }
  }
  const found = new Set<string>()
  for (const path of ['/try/api/rows/{row}', '/try/api/rows/{row}?method=PUT', '/try/api/metered-rows'])
    for (const { name, attribs } of (await open(path)).elements) {
      const { href, src, action }: Readonly<Record<string, string | undefined>> = attribs
      const target = name === 'form' ? `/try${action}` : (href ?? src)
      if (target !== undefined) found.add(new URL(target, service.baseUrl + path).href)
    }
  for (const needed of ['/#row', '/#row.put', '/#row.metered', '/#pay', '/pay/pay.js', '/try/api/rows/{row}'])
    assert.ok(found.has(new URL(needed, service.baseUrl).href), `${needed} of ${[...found].join(' ')}`)
  for (const target of found) {
    const { origin, pathname, search, hash } = new URL(target)
    assert.equal(origin, service.baseUrl)
    const { status, elements } = await open(pathname + search)
    assert.equal(status, 200, target)
    const id = decodeURIComponent(hash.slice(1))
    assert.ok(id === '' || elements.some(({ attribs }) => attribs.id === id), target)
  }
})

test('each endpoint of a path has its page under /try, and other paths have none', async () => {
  const app = createTestApp([read, write])
  const textOf = async (path: string) => {
    const response = await app.request(path)
    return response.status === 200 ? await response.text() : response.status
  }
  assert.match(String(await textOf('/try/api/rows/{row}')), /data-method="GET"/)
  assert.match(
    String(await textOf('/try/api/rows/%7Brow%7D?method=PUT')),
    /data-method="PUT".*data-place="whole"/s,
  )
  assert.match(String(await textOf('/')), /href="\/try\/api\/rows\/%7Brow%7D\?method=PUT"/)
  for (const path of [
    '/try/api/other',
    '/try/%zz',
    '/try',
    '/try/',
    '/pay/demo-account',
    '/pay/tsconfig.json',
  ])
    assert.equal(await textOf(path), 404, path)
  assert.match(String(await textOf('/pay/pay.js')), /discoverWallets/)
})
