import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Service } from '@tollbook/endpoints/service'
import { issuesOf, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { createTestApp } from '@tollbook/testing/catalogue/test-app'
import { defineJob } from '@tollbook/workers/job'
import { createWorkerPool } from '@tollbook/workers/pool'
import { convertData } from './endpoint.ts'

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())
const readPid = defineJob<typeof import('@tollbook/testing/workers/worker-jobs').readPid>({
  module: new URL('../../../../../../../packages/testing/src/workers/worker-jobs.ts', import.meta.url),
  name: 'readPid',
  deadlineMs: 20_000,
})

const service: Service = {
  name: 'utility',
  title: 'Test',
  description: 'A service of a test.',
  baseUrl: 'https://test.example',
  endpoints: [convertData],
  ports: { workers },
}
const app = createTestApp([convertData], { service })

/** The answer to a body of JSON text, parsed and as text. */
async function post(body: string | Buffer<ArrayBuffer>) {
  const response = await app.request('/api/data/convert', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'payment-signature': 'any' },
    body,
  })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) }
}
const ask = (provided: Record<string, unknown>) => post(JSON.stringify(provided))

test("the example is the endpoint's answer", async () => {
  const { status, body } = await ask(convertData.example.input as Record<string, unknown>)
  assert.equal(status, 200)
  assert.deepEqual(convertData.output.parse(body), body)
  assert.deepEqual({ ...body, ts: TEST_TIME.toISOString() }, convertData.example.output)
})

test('a JSON value keeps every digit in input and output', async () => {
  const value =
    '[{"a":9223372036854775807,"b":1.10,"c":1e400,"d":{"e":0.1000000000000000055511151231257827}}]'
  const same = await post(`{"from":"json","to":"json","data":${value}}`)
  assert.ok(same.text.endsWith(`,"data":${value}}`), same.text)
  const csv = await post(`{"from":"json","to":"csv","data":${value}}`)
  assert.equal(
    csv.body.data,
    'a,b,c,d\r\n9223372036854775807,1.10,1e400,"{""e"":0.1000000000000000055511151231257827}"\r\n',
  )
  const text = await ask({ from: 'json', to: 'json', data: value, pretty: true })
  assert.equal(text.body.data.replaceAll(/\s/g, ''), value)
})

test('delimiter separates the cells of CSV input; others are refused before payment', async () => {
  const provided = { data: 'id;price\r\n1;2.5\r\n', from: 'csv', to: 'json' }
  const { body } = await ask({ ...provided, delimiter: ';' })
  assert.deepEqual([body.columns, body.data, body.warnings], [['id', 'price'], [{ id: 1, price: 2.5 }], []])
  assert.match((await ask(provided)).body.warnings[0].message, /with delimiter ";"$/)
  assert.deepEqual(
    issuesOf(convertData, { ...provided, delimiter: ':' }).map(({ parameter }) => parameter),
    ['delimiter'],
  )
})

test('several tables have a text each, or form one JSON value or one dump', async () => {
  const data = 'CREATE TABLE a (x int);INSERT INTO b VALUES (1,2);INSERT INTO a VALUES (3)'
  const csv = (await ask({ data, from: 'sql', to: 'csv' })).body
  assert.deepEqual([csv.data, csv.rows, csv.columns, csv.bytes], [null, 2, [], 28])
  assert.deepEqual(csv.tables, [
    { name: 'a', rows: 1, columns: ['x'], data: 'x\r\n3\r\n' },
    { name: 'b', rows: 1, columns: ['column1', 'column2'], data: 'column1,column2\r\n1,2\r\n' },
  ])
  assert.deepEqual((await ask({ data, from: 'sql', to: 'json' })).body.data, {
    a: [{ x: 3 }],
    b: [{ column1: 1, column2: 2 }],
  })
  const { body } = await ask({ data, from: 'sql', to: 'sql', dialect: 'mysql', create_table: false })
  assert.equal(
    body.data,
    'INSERT INTO `a` (`x`) VALUES\n(3);\n\nINSERT INTO `b` (`column1`, `column2`) VALUES\n(1, 2);\n',
  )
  assert.equal(body.content_type, 'application/sql')
})

test('invalid data is reported with line and column, also in long texts', async () => {
  const long = `${'[1],\n'.repeat(4000)}`
  for (const [data, line] of [
    ['[1,\n 2,]', 2],
    [`[${long}]`, 4001],
  ] as const) {
    const { status, body } = await ask({ data, from: 'json', to: 'csv' })
    assert.equal(status, 422)
    assert.match(body.detail, new RegExp(`^data cannot be converted: line ${line}, column`))
    assert.equal(body.issues[0].parameter, 'data')
  }
})

test('errors of short texts, and values instead of texts, are reported before payment', () => {
  const issue = (provided: Record<string, unknown>) =>
    issuesOf(convertData, { from: 'csv', to: 'json', ...provided })[0]
  assert.deepEqual(issue({ data: 'a\n"x' }), {
    parameter: 'data',
    detail: 'cannot be converted: line 2, column 1: unterminated quoted cell',
    code: 'cannot_be_served',
  })
  assert.equal(issue({ data: [1] })?.detail, 'must be a string if from is csv')
  assert.equal(issue({ data: 'é'.repeat(2_500_001) })?.code, 'too_large')
  assert.equal(issue({ data: 'a', from: 'xml' })?.parameter, 'from')
})

test('a long body is refused as a short one is, and before payment', async () => {
  const rest = '"from":"json","to":"json"'
  const long = ' '.repeat(300_000)
  for (const body of [
    `{"data":[1,],${rest}}`,
    `{"data":[1],${rest}`,
    `{"data":${'['.repeat(200)}${']'.repeat(200)},${rest}}`,
    `{"data":[{"__proto__":1}],${rest}}`,
    `{"data":[${'0,'.repeat(500_000)}0],${rest}}`,
    `{${Array.from({ length: 600 }, (_, at) => `"n${at}":[${at}]`)}}`,
    '[{"data":[1]}]',
    '"data"',
    `{"data":7,${rest}}`,
    `{"data":[1],"from":"csv","to":[1],"table":{"a":1},"x":[[1]],"pretty":null}`,
    `{"data":[${'['.repeat(70)}${']'.repeat(70)}],${rest}}`,
  ]) {
    const [short, padded] = await Promise.all([post(body), post(body + long)])
    assert.ok(short.status >= 400 && short.status < 500, short.text)
    const { request_id: _, ...expected } = short.body
    assert.deepEqual({ ...padded.body, request_id: undefined }, { ...expected, request_id: undefined }, body)
  }
  const notText = Buffer.concat([
    Buffer.from(`{"data":"${long}`),
    Buffer.from([0xff]),
    Buffer.from(`",${rest}}`),
  ])
  assert.equal((await post(notText)).body.detail, 'The body is not valid UTF-8.')
})

test('a long body is converted as a short one is, with every digit', async () => {
  const rows = Array.from({ length: 30_000 }, (_, at) => `{"id":${at},"2024":1.10,"n":9223372036854775807}`)
  const value = `[${rows}]`
  for (const data of [value, JSON.stringify(value)]) {
    const { text, body } = await post(`{"from":"json","to":"json","data":${data}}`)
    assert.ok(text.endsWith(`,"data":${value}}`), text.slice(0, 300))
    assert.equal(body.rows, 30_000)
  }
})

test('a long body is refused with 503 while too many wait for a worker', async () => {
  const busy = createWorkerPool({ threads: 1, maxWaiting: 0 })
  const one = createTestApp([convertData], { service: { ...service, ports: { workers: busy } } })
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'payment-signature': 'any' },
    body: `{"data":[${'0,'.repeat(200_000)}0],"from":"json","to":"json"}`,
  }
  const responses = await Promise.all([1, 2, 3].map(() => one.request('/api/data/convert', init)))
  const codes = await Promise.all(
    responses.map(async (response) => ((await response.json()) as { code?: string }).code),
  )
  assert.ok(codes.includes('unavailable'), `${codes}`)
  await busy.close()
})

test('a caller that disconnects while its body is parsed is not waited for, and its worker goes on', async () => {
  const pidOf = () => workers.run(readPid, {}, new AbortController().signal)
  const before = await pidOf()
  const bytes = Buffer.from(`{"data":[${'0,'.repeat(400_000)}0],"from":"json","to":"json"}`)
  const caller = new AbortController()
  const reading = convertData.parseBody?.(bytes, { workers }, caller.signal)
  caller.abort(new Error('gone'))
  await assert.rejects(async () => reading, { message: 'gone' })
  await assert.rejects(async () => convertData.parseBody?.(bytes, { workers }, caller.signal), {
    message: 'gone',
  })
  assert.equal(await pidOf(), before)
})

test('a JSON value in data is validated without copying it', () => {
  const data = { rows: [{ id: 1 }] }
  const parsed = convertData.input.parse({ data, from: 'json', to: 'csv' })
  assert.equal(parsed.data, data)
  for (const wrong of [7, true, null, undefined])
    assert.equal(convertData.input.safeParse({ data: wrong, from: 'json', to: 'csv' }).success, false)
})
