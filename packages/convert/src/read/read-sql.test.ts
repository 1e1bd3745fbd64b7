import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { convertErrorOf, convertText } from '@tollbook/testing/utility/converting'

const DUMPS = join(import.meta.dirname, '../golden/dumps')

/** The strings that packages/testing/src/utility/make-dumps.ts inserts into every database. */
const TEXTS = [
  "it's",
  'say "hi"',
  'C:\\temp\\new',
  'line one\nline two\r\nend',
  'tab\there',
  'semi;colon -- no comment',
  '/* none */ # either',
  'emoji 😀 naïve',
  '',
  'NULL',
  "'); DROP TABLE notes; --",
  '\\N',
]
const notes = TEXTS.map((body, at) => ({ id: at + 1, body }))

function readDump(name: string, pieceLength?: number) {
  const text = readFileSync(join(DUMPS, `${name}.sql`), 'utf8')
  const read = convertText(text, 'sql', 'json', { pieceLength: pieceLength ?? text.length })
  return { ...read, tables: read.texts }
}

test('a dump of sqlite3 yields its rows, and none from a trigger body', () => {
  const { tables, notes: warnings } = readDump('sqlite')
  assert.deepEqual(Object.keys(tables), ['notes', 'order lines', 'empty', 'log'])
  assert.deepEqual(JSON.parse(tables.notes ?? ''), notes)
  assert.equal(tables.empty, '[]')
  // Filling the database fired the trigger twice for each of twelve rows.
  assert.equal(JSON.parse(tables.log ?? '').length, 24)
  assert.equal(
    tables['order lines'],
    '[{"key":"k1","amount":1.1000000000000000888,"big":9223372036854775807,"raw":"\\\\x00ff10","a\\"b":null},' +
      '{"key":"k2","amount":-1.0e+100,"big":-5,"raw":"\\\\x","a\\"b":"y"}]',
  )
  assert.match(warnings.join(), /sqlite_sequence: internal table of SQLite/)
})

test('dumps of pg_dump with INSERT and with COPY yield the same rows', () => {
  const lines =
    '[{"id":1,"price":1.10,"big":123456789012345678901234567890.5,"ratio":"NaN","paid":true,' +
    '"meta":{"a":[1,{"b":"it\'s"}],"n":1.50},"raw":"\\\\x00ff10","at":"2026-11-21 10:00:00+00",' +
    '"tags":"{\\"a b\\",c}","how":"bad; sad","bits":"101"},' +
    '{"id":2,"price":-0.50,"big":null,"ratio":1e-07,"paid":false,"meta":null,"raw":"\\\\x","at":null,' +
    '"tags":"{}","how":null,"bits":"010"}]'
  for (const name of ['postgres-inserts', 'postgres-copy']) {
    const { tables } = readDump(name)
    assert.deepEqual(Object.keys(tables), ['empty', 'notes', 'shop.Order Lines'], name)
    const read = JSON.parse(tables.notes ?? '')
    assert.deepEqual(
      read.map(({ id, body }: { id: number; body: string }) => ({ id, body })),
      notes,
      name,
    )
    assert.equal(tables['shop.Order Lines'], lines, name)
    assert.equal(tables.empty, '[]', name)
  }
})

test('a dump of mariadb-dump yields its rows, and none from a procedure or trigger body', () => {
  const { tables } = readDump('mariadb')
  assert.deepEqual(Object.keys(tables), ['empty', 'notes', 'order lines'])
  assert.deepEqual(JSON.parse(tables.notes ?? ''), notes)
  assert.equal(tables.empty, '[]')
  assert.equal(
    tables['order lines'],
    '[{"key":"k1","amount":123456789012345678901234567890.5000000000,"ratio":0.0000001,"raw":"\\\\x00ff10",' +
      '"text_only":"\\\\x706c61696e","meta":"{\\"a\\":[1,\\"it\'s\\"]}","flags":"\\\\x05",' +
      '"at":"2026-11-21 10:00:00","total":2},' +
      '{"key":"k2","amount":-0.5000000000,"ratio":null,"raw":"","text_only":null,"meta":null,"flags":null,"at":null,"total":2}]',
  )
})

test('a dump yields the same rows wherever its text is split into chunks', () => {
  for (const name of ['sqlite', 'postgres-inserts', 'postgres-copy', 'mariadb'])
    for (const pieceLength of [1, 13]) assert.deepEqual(readDump(name, pieceLength), readDump(name), name)
})

test('literals of all dialects are parsed', () => {
  const expected: Readonly<Record<string, string>> = {
    "E'a\\n\\x41\\u00e9\\101\\''": '"a\\nAéA\'"',
    "N'x' 'y'": '"xy"',
    "U&'\\0041\\+01F600'": '"A😀"',
    "$tag$it's $1$tag$": '"it\'s $1"',
    "X'00fF'": '"\\\\x00ff"',
    "B'101'": '"101"',
    "_binary 'ab'": '"\\\\x6162"',
    "_utf8mb4'ab'": '"ab"',
    TRUE: 'true',
    '+.50': '0.50',
    '-007.': '-7',
    '1E400': '1E400',
    '1_000': '1000',
    "CAST('5' AS UNSIGNED)": '"5"',
    "'5'::numeric(10,2)": '"5"',
    "'[1]'::jsonb": '[1]',
    '\'{"a":1}\'::pg_catalog.text': '"{\\"a\\":1}"',
    "DATE '2026-11-21'": '"2026-11-21"',
    "TIMESTAMP '2026-11-21 10:00:00'::timestamp without time zone": '"2026-11-21 10:00:00"',
    "ARRAY['a', NULL]::text[]": '["a",null]',
    "('x')": '"x"',
    "replace(replace('a\\rb\\n','\\r',char(13)),'\\n',char(10))": '"a\\rb\\n"',
    "unistr('a\\u000ab')": '"a\\nb"',
    "'a' || char(0) || 'b'": '"a\\u0000b"',
    "CONVERT('x' USING utf8mb4)": '"x"',
    '/* c */ 1 -- d\n': '1',
  }
  for (const [literal, json] of Object.entries(expected))
    assert.equal(
      convertText(`INSERT INTO t (a) VALUES (${literal});`, 'sql', 'json').text,
      `[{"a":${json}}]`,
      literal,
    )
  const mysql: Readonly<Record<string, string>> = {
    "'a\\'b\\0\\Z\\%\\q'": '"a\'b\\u0000\\u001a\\\\%q"',
    '"it\\"s"': '"it\\"s"',
    '0x00FF': '"\\\\x00ff"',
    "'x' COLLATE utf8mb4_bin": '"x"',
  }
  for (const [literal, json] of Object.entries(mysql))
    assert.equal(
      convertText(`REPLACE INTO \`t\` (\`a\`) VALUE (${literal})`, 'sql', 'json').text,
      `[{"a":${json}}]`,
      literal,
    )
  assert.equal(
    convertText('INSERT INTO t VALUES (0xff)', 'sql', 'json', { fromDialect: 'sqlite' }).text,
    '[{"column1":255}]',
  )
})

test('other statements around the rows are skipped', () => {
  const sql = `\\restrict abc
# a comment
DROP TABLE IF EXISTS t; CREATE TEMP TABLE IF NOT EXISTS [main].[t] (id int PRIMARY KEY, "key" text, check (id > 0), UNIQUE (id));
INSERT OR IGNORE INTO main.t VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET "key" = 'x;';
INSERT INTO t (key, id) VALUES ('b', 2), ('c', 3) RETURNING id;
INSERT INTO t SELECT 9, 'no'; UPDATE t SET id = 4;
SELECT 'INSERT INTO t VALUES (8)';`
  const { text, notes: warnings } = convertText(sql, 'sql', 'json')
  assert.equal(text, '[{"id":1,"key":"a"},{"key":"b","id":2},{"key":"c","id":3}]')
  assert.deepEqual(warnings, [
    '6 table t: INSERT without VALUES; its rows are skipped',
    '6 UPDATE is skipped: the rows are as they were inserted',
  ])
})

test('errors carry line and column', () => {
  assert.match(
    convertErrorOf('INSERT INTO t VALUES\n(1, now())', 'sql', 'json'),
    /^2:5 NOW cannot be evaluated/,
  )
  assert.match(convertErrorOf("INSERT INTO t VALUES (1,\n 'a", 'sql', 'json'), /^2:2 unterminated string/)
  assert.match(
    convertErrorOf('INSERT INTO t VALUES (1 2)', 'sql', 'json'),
    /^1:25 expected "," or "\)" in a row, found 2/,
  )
  assert.match(
    convertErrorOf('INSERT INTO t (a,b) VALUES (1)', 'sql', 'json'),
    /^1:28 a row of t has 1 values for 2 columns/,
  )
  assert.match(convertErrorOf('COPY t (a) FROM stdin;\n1\n', 'sql', 'json'), /^3:1 the data of COPY must end/)
  assert.match(convertErrorOf("INSERT INTO t VALUES (X'0')", 'sql', 'json'), /^1:23 invalid hex string/)
  assert.match(convertErrorOf(`INSERT INTO t VALUES (${'('.repeat(100)}`, 'sql', 'json'), /nested too deeply/)
})
