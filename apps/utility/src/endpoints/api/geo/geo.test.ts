import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { findPackagedSets } from '../../../geo/data-set.ts'
import { openGeoData } from '../../../geo/geo-data.ts'
import { geo } from './endpoint.ts'

const locate = await openGeoData({ files: [], attribution: null })
const ask = (provided: object, clientAddress?: string) =>
  runEndpoint(geo, provided, { ports: { locate }, ...(clientAddress && { clientAddress }) })

const hasCities = findPackagedSets().some(({ name }) => name === 'dbip-city')

test("the example is the endpoint's answer", {
  skip: !hasCities && 'the city file is not installed',
}, async () => {
  assert.deepEqual(await ask(geo.example.input), geo.example.output)
})

test("without ip the caller's address is located", async () => {
  const { ip, version, bogon, country } = await ask({}, '193.0.6.139')
  assert.deepEqual([ip, version, bogon, country], ['193.0.6.139', 4, false, 'NL'])
  await assert.rejects(ask({}, 'unknown'), { message: /^invalid_request: The caller's address is unknown/ })
})

test('special addresses of either family are bogons and have no location', async () => {
  const nothing = Object.fromEntries(
    Object.keys(geo.example.output)
      .filter((key) => !['ip', 'version', 'bogon', 'ts'].includes(key))
      .map((key) => [key, null]),
  )
  for (const [ip, version] of [
    ['127.0.0.1', 4],
    ['10.1.2.3', 4],
    ['100.64.0.1', 4],
    ['203.0.113.9', 4],
    ['255.255.255.255', 4],
    ['::1', 6],
    ['fe80::1%eth0', 6],
    ['fd00::1', 6],
    ['2001:db8::1', 6],
    ['ff02::1', 6],
  ] as const) {
    const { ts: _, ...answer } = await ask({ ip })
    assert.deepEqual(answer, { ip, version, bogon: true, ...nothing })
  }
})

test('every notation of an address is the same address', async () => {
  for (const ip of [
    '::ffff:193.0.6.139',
    '::FFFF:c100:68b',
    '0:0:0:0:0:ffff:193.0.6.139',
    '[::ffff:193.0.6.139]',
  ]) {
    const answer = await ask({ ip })
    assert.deepEqual([answer.ip, answer.version, answer.country], ['193.0.6.139', 4, 'NL'], ip)
  }
  const long = await ask({ ip: '2001:067C:02E8:0022:0000:0000:C100:068B' })
  assert.deepEqual([long.ip, long.version, long.country], ['2001:67c:2e8:22::c100:68b', 6, 'NL'])
  assert.deepEqual((await ask({ ip: '::ffff:10.0.0.1' })).bogon, true)
})

test('an address without data is rejected and not charged', async () => {
  const nowhere = { ports: { locate: async () => null } }
  await assert.rejects(runEndpoint(geo, { ip: '193.0.6.139' }, nowhere), { message: /^cannot_be_served/ })
})

test('an invalid address is reported before payment', () => {
  for (const ip of [
    '',
    'example.com',
    '1.2.3',
    '1.2.3.4/24',
    '1.2.3.4:80',
    '256.1.1.1',
    '010.0.0.1',
    'g::1',
    '0x7f.1',
  ])
    assert.equal(issuesOf(geo, { ip })[0]?.parameter, 'ip', ip)
})
