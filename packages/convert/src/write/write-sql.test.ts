import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { startPostgres, whyNoPostgres } from '@tollbook/testing/state/postgres'
import { convertErrorOf, convertText } from '@tollbook/testing/utility/converting'
import pg from 'pg'

/** Rows with every kind of value, and a column of mixed kinds. */
const JSON_ROWS = `[
  {"id":9223372036854775807,"price":1.10,"big":123456789012345678901234567890.5,"ok":true,"note":"it's \\\\n \\"x\\"\\r\\n😀","meta":{"a":[1,"'"]},"mixed":"a"},
  {"id":-1,"price":-0.05,"big":1e-7,"ok":false,"note":"","meta":[1.50],"mixed":1.5},
  {"id":0,"price":null,"big":null,"ok":null,"note":null,"meta":null,"mixed":true}
]`

test('SQLite loads the written dump with the same values', () => {
  const { text, notes } = convertText(JSON_ROWS, 'json', 'sql', { dialect: 'sqlite', table: 'my "rows"' })
  const database = new DatabaseSync(':memory:')
  database.exec(text)
  const select = database.prepare('SELECT * FROM "my ""rows"""')
  select.setReadBigInts(true)
  assert.deepEqual(
    select.all().map((row) => Object.values(row)),
    [
      [9223372036854775807n, 1.1, 1.2345678901234568e29, 1n, 'it\'s \\n "x"\r\n😀', '{"a":[1,"\'"]}', 'a'],
      [-1n, -0.05, 1e-7, 0n, '', '[1.50]', '1.5'],
      [0n, null, null, null, null, null, '1'],
    ],
  )
  // SQLite has no type for 31 digits; the conversion warns about it.
  assert.deepEqual(notes, ['null "big": the column is REAL, which stores about 15 significant digits'])
  database.close()
})

test('SQLite loads strings with U+0000 and any line ends', () => {
  const texts = ['x\0y\0', '\\r\r\\0\0', 'line\r\n'.repeat(5000)]
  const json = JSON.stringify(texts.map((a) => ({ a })))
  const { text } = convertText(json, 'json', 'sql', { dialect: 'sqlite' })
  const database = new DatabaseSync(':memory:')
  database.exec(text)
  const loaded = database.prepare('SELECT hex(a) AS a FROM data').all()
  assert.deepEqual(
    loaded.map(({ a }) => Buffer.from(String(a), 'hex').toString()),
    texts,
  )
  database.close()
  assert.equal(convertText(text, 'sql', 'json').text, json)
  const error = (dialect: 'ansi' | 'postgres') =>
    convertErrorOf('{"a":"\\u0000"}', 'ndjson', 'sql', { dialect })
  for (const dialect of ['ansi', 'postgres'] as const)
    assert.match(error(dialect), /^1:null a string contains U\+0000/)
})

test('PostgreSQL loads the written dump with the same values', {
  skip: whyNoPostgres() ?? false,
}, async () => {
  const server = await startPostgres()
  const url = await server.createDatabase()
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(convertText(JSON_ROWS, 'json', 'sql', { dialect: 'postgres' }).text)
    const { rows } = await client.query({
      text: 'SELECT * FROM data',
      rowMode: 'array',
      types: { getTypeParser: () => String },
    })
    assert.deepEqual(rows, [
      [
        '9223372036854775807',
        '1.10',
        '123456789012345678901234567890.5',
        't',
        'it\'s \\n "x"\r\n😀',
        '{"a":[1,"\'"]}',
        'a',
      ],
      ['-1', '-0.05', '0.0000001', 'f', '', '[1.50]', '1.5'],
      ['0', null, null, null, null, null, 'true'],
    ])
  } finally {
    await client.end()
    await server.dropDatabase(url)
  }
})

test('MySQL output uses its own quotes, escapes and types', () => {
  assert.equal(
    convertText('[{"a`b":"it\'s \\\\ \\u0000","n":1.25,"j":{},"t":true}]', 'json', 'sql', {
      dialect: 'mysql',
    }).text,
    'CREATE TABLE `data` (\n  `a``b` LONGTEXT,\n  `n` DECIMAL(3,2),\n  `j` JSON,\n  `t` BOOLEAN\n);\n' +
      "INSERT INTO `data` (`a``b`, `n`, `j`, `t`) VALUES\n('it''s \\\\ \\0', 1.25, JSON_EXTRACT('{}','$'), TRUE);\n",
  )
})

test('each INSERT statement holds up to a hundred rows', () => {
  const rows = Array.from({ length: 201 }, (_, at) => `{"a":${at}}`).join('\n')
  const { text } = convertText(rows, 'ndjson', 'sql', { createTable: false })
  assert.deepEqual(text.match(/INSERT INTO "data" \("a"\) VALUES\n\(\d+\)[,;]/g), [
    'INSERT INTO "data" ("a") VALUES\n(0),',
    'INSERT INTO "data" ("a") VALUES\n(100),',
    'INSERT INTO "data" ("a") VALUES\n(200);',
  ])
})

test('binary data of a dump stay binary in another dialect', () => {
  const dump = "INSERT INTO t VALUES (X'00ff')"
  const write = (dialect: 'ansi' | 'postgres' | 'mysql') =>
    convertText(dump, 'sql', 'sql', { dialect, createTable: false }).text.split('\n')[1]
  assert.deepEqual(
    [write('ansi'), write('postgres'), write('mysql')],
    ["(X'00ff');", "('\\x00ff'::bytea);", "(X'00ff');"],
  )
})
