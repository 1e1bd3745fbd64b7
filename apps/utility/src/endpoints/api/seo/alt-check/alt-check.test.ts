import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { createWorkerPool } from '@tollbook/workers/pool'
import { auditAlternatives } from './audit-alternatives.ts'
import { altCheck } from './endpoint.ts'

const audit = (html: string, maxLength = 125) =>
  auditAlternatives({ html, url: 'https://example.com/a/', maxLength })
const typesOf = (html: string) => audit(html).findings.map(({ type }) => type)

test('each kind of image without a text alternative has its own finding', () => {
  assert.deepEqual(typesOf('<img src=a.png><img src=a.png alt=" ">'), ['missing_alt', 'missing_alt'])
  assert.deepEqual(typesOf('<div role=img></div>'), ['missing_alt'])
  assert.deepEqual(typesOf('<svg role=img><text>5 %</text></svg>'), ['svg_unlabeled'])
  assert.deepEqual(typesOf('<map name=m><area href=/a></map>'), ['area_missing'])
  assert.deepEqual(typesOf('<input type=image src=go.png alt="">'), ['input_image_missing'])
  assert.deepEqual(
    typesOf('<svg role=img><title>Share</title></svg><svg></svg><div role=img title="Tides of May"></div>'),
    [],
  )
})

test('decoration is counted separately, and is a finding only if it is the only content of a link', () => {
  const { decorative, ok, images, findings } = audit(
    '<img alt=""><img role=none><img aria-hidden=true><img alt="A tide table">',
  )
  assert.deepEqual([decorative, ok, images, findings], [3, 1, 4, []])
  assert.deepEqual(typesOf('<a href=/><img src=a.png alt=""></a>'), ['missing_alt'])
  assert.deepEqual(typesOf('<a href=/><img src=a.png alt="">Home</a>'), [])
})

test('file names and generic words are findings', () => {
  for (const alt of [
    'IMG_2837.jpg',
    'hero-final-v2',
    'DSC00012',
    '94251e110d24a4c2b6e6ce76e7203374',
    'team photo.png',
  ])
    assert.deepEqual(typesOf(`<img src=x alt="${alt}">`), ['filename_alt'], alt)
  assert.deepEqual(typesOf('<img src=/p/low-tide-north.jpg alt=low-tide-north>'), ['filename_alt'])
  for (const alt of [
    'image',
    'Photo 3',
    'Bild',
    'imágenes',
    'картинка',
    '图片',
    'x',
    'Image of a cat',
    'Bild von Anna',
  ])
    assert.deepEqual(typesOf(`<img src=x alt="${alt}">`), ['generic_alt'], alt)
  for (const alt of ['W3C logo', 'Nyhavn', '1914-1918', 'Imagination', '山', 'Route 66', 'Node.js'])
    assert.deepEqual(typesOf(`<img src=/nyhavn.jpeg alt="${alt}">`), [], alt)
  assert.deepEqual(typesOf('<a href=a.jpg download>Get <img src=a.jpg alt=a.jpg></a>'), [])
})

test('an alternative that is too long or repeats the text next to it is found', () => {
  assert.equal(audit(`<img alt="${'a '.repeat(63)}b">`).findings[0]?.type, 'long_alt')
  // 63 pairs and a letter are 127 letters.
  assert.deepEqual(audit(`<img alt="${'a '.repeat(63)}b">`, 127).findings, [])
  assert.deepEqual(typesOf('<a href=/><img alt="Tide tables">tide tables</a>'), ['redundant_alt'])
  assert.deepEqual(typesOf('<figure><img alt=Ebb><figcaption>Ebb</figcaption></figure>'), ['redundant_alt'])
  assert.deepEqual(typesOf('<p><img alt="Tide tables">Tides</p>'), [])
})

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
let site: Awaited<ReturnType<typeof servePages>>
before(async () => {
  const body = '<title>x</title><main><img src="/i/IMG_1.jpg" alt="IMG_0001"><img src=b><img alt=""></main>'
  site = await servePages({ '/': body, '/moved': { status: 301, headers: { location: '/' } } })
})
after(async () => {
  site.close()
  await workers.close()
})
const ports = { fetch: createSafeFetch({ allowPrivateNetwork: true }), workers }

test('a page is answered with totals, findings and their locations', async () => {
  const answer = await runEndpoint(altCheck, { url: `${site.url}/moved`, limit: 1 }, { ports })
  assert.equal(answer.final_url, `${site.url}/`)
  assert.deepEqual([answer.images_total, answer.summary.decorative, answer.summary.ok], [3, 1, 0])
  assert.deepEqual([answer.summary.filename_alt, answer.summary.missing_alt], [1, 1])
  assert.equal(answer.truncated, true)
  // One of three images is without a finding.
  assert.equal(answer.score, 33)
  assert.deepEqual(answer.findings, [
    {
      type: 'filename_alt',
      severity: 'serious',
      wcag: ['1.1.1'],
      element: 'img',
      selector: 'main > img:nth-of-type(1)',
      src: `${site.url}/i/IMG_1.jpg`,
      alt: 'IMG_0001',
      message: 'The text alternative is a file name; describe what the image shows.',
    },
  ])
})

test('a length out of range is reported before payment', () => {
  assert.equal(issuesOf(altCheck, { url: 'https://example.com', max_length: 5 })[0]?.parameter, 'max_length')
})
