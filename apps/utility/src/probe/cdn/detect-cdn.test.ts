import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detectCdn } from './detect-cdn.ts'

/** Headers from the providers' own documentation, or from their responses. */
const SENT: readonly (readonly [provider: string, header: string, value: string])[] = [
  ['Cloudflare', 'cf-ray', '230b030023ae2822-SJC'],
  ['Cloudflare', 'server', 'cloudflare'],
  ['Amazon CloudFront', 'via', '1.1 0123456789abcdef.cloudfront.net (CloudFront)'],
  ['Amazon CloudFront', 'x-amz-cf-pop', 'FRA56-P3'],
  ['Akamai', 'server', 'AkamaiGHost'],
  ['Akamai', 'x-akamai-transformed', '9 - 0 pmb=mRUM,1'],
  ['Fastly', 'x-served-by', 'cache-lga21927-LGA'],
  ['Fastly', 'x-served-by', 'cache-iad-kiad7000025-IAD, cache-fra-eddf8230052-FRA'],
  ['Vercel', 'x-vercel-id', 'fra1::iad1::abcde-1600000000000-0123456789ab'],
  ['Netlify', 'x-nf-request-id', '01H2XYZ'],
  ['Azure Front Door', 'x-azure-ref', '20260101T000000Z-1234'],
  ['bunny.net', 'server', 'BunnyCDN-DE1-1047'],
  ['Imperva', 'x-cdn', 'Imperva'],
  ['Sucuri', 'x-sucuri-id', '15005'],
  ['KeyCDN', 'server', 'keycdn'],
  ['CDN77', 'server', 'CDN77-Turbo'],
  ['Alibaba Cloud CDN', 'ali-swift-global-savetime', '1619162787'],
]

for (const [provider, header, value] of SENT) {
  test(`${header}: ${value} is a mark of ${provider}`, () => {
    assert.deepEqual(detectCdn({ headers: { [header]: value }, names: [] }), [
      { provider, source: 'header', seen: `${header}: ${value}` },
    ])
  })
}

test('headers of other servers and caches are not marks', () => {
  const headers = {
    server: 'nginx',
    via: '1.1 varnish, 1.1 google, 1.1 vegur',
    'x-cache': 'HIT',
    'x-served-by': 'web-3, cache-node-1',
    'x-cdn': 'own',
    age: '12',
  }
  assert.deepEqual(detectCdn({ headers, names: ['example.com', 'origin.example.net'] }), [])
})

test('a name is below a domain by whole labels, in any case, with or without the final dot', () => {
  const evidence = (name: string) => detectCdn({ headers: {}, names: [name] }).map(({ provider }) => provider)
  for (const name of ['d111111abcdef8.cloudfront.net', 'D1.CloudFront.NET.', 'cloudfront.net'])
    assert.deepEqual(evidence(name), ['Amazon CloudFront'], name)
  for (const name of ['notcloudfront.net', 'cloudfront.net.example.com', 'cloudfront.network'])
    assert.deepEqual(evidence(name), [], name)
})

test('a response through two CDNs names both, the one found by headers first', () => {
  const headers = { 'cf-ray': '1-FRA' }
  const found = detectCdn({ headers, names: ['x.b-cdn.net'] })
  assert.deepEqual(
    found.map(({ provider, source }) => [provider, source]),
    [
      ['Cloudflare', 'header'],
      ['bunny.net', 'name'],
    ],
  )
})

test('a value of any length is matched in linear time, and reported truncated', () => {
  const before = process.cpuUsage()
  const value = `cache-aaa${'cache-aaa'.repeat(4_000)}`
  assert.deepEqual(detectCdn({ headers: { 'x-served-by': value }, names: [] }), [])
  assert.equal(detectCdn({ headers: { 'cf-ray': value }, names: [] })[0]?.seen.length, 200)
  // Processor time; a single scan takes some hundred microseconds.
  assert.ok(process.cpuUsage(before).user < 1_000_000)
})
