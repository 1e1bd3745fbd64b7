import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { convertErrorOf, convertText } from '@tollbook/testing/utility/converting'
import { FORMATS } from './format.ts'
import { toJsonText } from './json/to-json-text.ts'
import { CALL_LIMITS } from './limits.ts'
import { Fields, JSON_NUMBER, NumberText, type Value } from './value.ts'

const digits = (max: number) => fc.stringMatching(new RegExp(`^\\d{1,${max}}$`))
/** JSON numbers of any size and precision. */
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(digits(3), digits(40)).map((text) => text.replace(/^0+(?=\d)/, '')),
    fc.option(digits(30)),
    fc.option(fc.constantFrom('e400', 'E-7', 'e+2')),
  )
  .map(([sign, whole, decimals, exponent]) => {
    const text = `${sign}${whole}${decimals === null ? '' : `.${decimals}`}${exponent ?? ''}`
    assert.match(text, JSON_NUMBER)
    return new NumberText(text)
  })
/** Strings that are syntax in one of the formats, and arbitrary ones. */
const tricky = fc.constantFrom(
  '',
  'null',
  'true',
  '007',
  '1.10',
  '-',
  ' ',
  '=1+1',
  "it's",
  '"',
  '""',
  '\\',
  "\\'",
  '\\n',
  '\r',
  '\n',
  '\r\n',
  '\t',
  '\ufeff',
  'a,b',
  '{}',
  '[1]',
  '"x"',
  '{"a":',
  '-- x',
  '/*!',
  '`',
  ';',
  "');",
  '\\N',
  '\\.',
  '😀',
  '\u2028',
  '%s',
  '\x1a',
)
const text = fc
  .oneof(
    tricky,
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.array(tricky, { maxLength: 4 }).map((all) => all.join('')),
  )
  // Two dialects cannot represent U+0000; it has its own test.
  .map((value) => value.toWellFormed().replaceAll('\0', ''))
const names = fc.uniqueArray(text, { minLength: 1, maxLength: 4 })
const { value } = fc.letrec<{ value: Value; scalar: Value }>((tie) => ({
  scalar: fc.oneof(fc.constant(null), fc.boolean(), text, number),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('scalar'),
    fc.array(tie('value'), { maxLength: 3 }),
    names.chain((keys) =>
      fc
        .array(tie('value'), { minLength: keys.length, maxLength: keys.length })
        .map((values) => new Fields(keys, values)),
    ),
  ),
}))
const table = names.chain((columns) =>
  fc.array(
    fc
      .array(value, { minLength: columns.length, maxLength: columns.length })
      .map((values) => new Fields(columns, values)),
    { minLength: 1, maxLength: 5 },
  ),
)

test('any table survives a round trip through two formats, wherever the text is split into chunks', () => {
  const dialects = fc.constantFrom('ansi', 'postgres', 'mysql', 'sqlite')
  fc.assert(
    fc.property(
      table,
      dialects,
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      (rows, dialect, pretty, pieceLength) => {
        const json = toJsonText(rows)
        const options = { dialect, pretty, pieceLength, fromDialect: null }
        for (const one of FORMATS) {
          const first = convertText(json, 'json', one, options).text
          for (const other of FORMATS) {
            const second = convertText(first, one, other, options).text
            assert.equal(
              convertText(second, other, 'json', { pieceLength }).text,
              json,
              `${one} to ${other}:\n${second}`,
            )
          }
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('flattened rows of arbitrary objects are nested again without loss', () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(text, fc.dictionary(text, text, { minKeys: 1 }), { minKeys: 1 }), {
        minLength: 1,
        maxLength: 1,
      }),
      (rows) => {
        const json = convertText(JSON.stringify(rows), 'json', 'json').text
        const flat = convertText(json, 'json', 'csv', { flatten: true }).text
        assert.equal(convertText(flat, 'csv', 'json', { flatten: true }).text, json)
      },
    ),
  )
})

test('numbers keep all digits in every format', () => {
  const json = '[{"a":9223372036854775807,"b":1.10,"c":1e400,"d":-0.0,"e":123456789012345678901234567890.5}]'
  for (const format of FORMATS) {
    const written = convertText(json, 'json', format).text
    for (const number of ['9223372036854775807', '1.10', '1e400', '-0.0', '123456789012345678901234567890.5'])
      assert.ok(written.includes(number), `${format} of ${number}`)
    assert.equal(convertText(written, format, 'json').text, json)
  }
})

test('CSV distinguishes null, strings, numbers and nested values', () => {
  const json = '[{"id":1,"note":null,"code":"007","zip":"123","empty":"","tags":["a"],"text":"[\\"a\\"]"}]'
  const csv = convertText(json, 'json', 'csv').text
  assert.equal(csv, 'id,note,code,zip,empty,tags,text\r\n1,,007,"123","","[""a""]","""[\\""a\\""]"""\r\n')
  assert.equal(convertText(csv, 'csv', 'json').text, json)
  // Without type inference every cell is a string.
  assert.equal(
    convertText(json, 'json', 'csv', { types: 'string' }).text,
    'id,note,code,zip,empty,tags,text\r\n1,,007,123,,"[""a""]","[""a""]"\r\n',
  )
  assert.equal(convertText('a,b\n1,\n', 'csv', 'json', { types: 'string' }).text, '[{"a":"1","b":""}]')
})

test('records with different keys share one table', () => {
  assert.equal(convertText('{"a":1}\n\n{"b":2}', 'ndjson', 'csv').text, 'a,b\r\n1,\r\n,2\r\n')
  assert.equal(convertText('[[1,2],[3]]', 'json', 'csv').text, 'column1,column2\r\n1,2\r\n3,\r\n')
  assert.equal(convertText('[1,"x"]', 'json', 'tsv').text, 'value\r\n1\r\nx\r\n')
})

test('the last value of a repeated name counts', () => {
  assert.equal(convertText('[{"a":1,"b":3,"a":2}]', 'json', 'csv').text, 'a,b\r\n2,3\r\n')
  const dump = convertText('INSERT INTO t (a, a) VALUES (1, 2)', 'sql', 'csv')
  assert.equal(dump.text, 'a\r\n2\r\n')
  assert.deepEqual(dump.notes, ['1 "a" occurs twice in an object: the last value is used'])
})

test('an object of lists of objects becomes several tables, as does a dump', () => {
  const json = '{"users":[{"id":1}],"orders":[{"id":7,"user":1}]}'
  const sql = convertText(json, 'json', 'sql', { createTable: false }).text
  assert.equal(
    sql,
    'INSERT INTO "users" ("id") VALUES\n(1);\nINSERT INTO "orders" ("id", "user") VALUES\n(7, 1);\n',
  )
  assert.deepEqual(convertText(sql, 'sql', 'csv').texts, {
    users: 'id\r\n1\r\n',
    orders: 'id,user\r\n7,1\r\n',
  })
  assert.equal(convertText(sql, 'sql', 'csv', { table: 'orders' }).text, 'id,user\r\n7,1\r\n')
  assert.equal(
    convertErrorOf(sql, 'sql', 'csv', { table: 'x' }),
    'null:null table "x" not found (tables: "users", "orders")',
  )
})

test('a JSON value that is not a list stays as it is in JSON and becomes one row in a table', () => {
  assert.equal(convertText(' {"a" : {"b": 1.50}} ', 'json', 'json').text, '{"a":{"b":1.50}}')
  assert.equal(convertText('{"a":[1]}', 'json', 'json', { pretty: true }).text, '{\n  "a": [\n    1\n  ]\n}')
  assert.equal(convertText('"x"', 'json', 'ndjson').text, '"x"\n')
  assert.equal(convertText('{"a":1}', 'json', 'csv').text, 'a\r\n1\r\n')
})

test('empty input produces empty output in every format that can represent it', () => {
  assert.equal(convertText('[]', 'json', 'json').text, '[]')
  assert.equal(convertText('[]', 'json', 'csv').text, '')
  assert.equal(convertText('', 'ndjson', 'json').text, '[]')
  assert.equal(convertText('a,b\r\n', 'csv', 'json').text, '[]')
  assert.equal(
    convertText('a,b', 'csv', 'sql').text,
    'CREATE TABLE "data" (\n  "a" VARCHAR(65535),\n  "b" VARCHAR(65535)\n);\n',
  )
  assert.match(convertErrorOf('', 'csv', 'json'), /the input is empty/)
  assert.match(convertErrorOf('[{}]', 'json', 'csv'), /data has no columns/)
  assert.match(convertErrorOf('SELECT 1;', 'sql', 'json'), /no CREATE TABLE and no INSERT with values found/)
})

test('escape_formulas prefixes cells that a spreadsheet would run as formulas', () => {
  const cells = ['=1+1', '+1', '-1', '@x', '\tx', '\rx', 'a=1', '＝1']
  const json = JSON.stringify([
    { '=h': cells[0], b: -1 },
    ...cells.slice(1).map((cell) => ({ '=h': cell, b: 2 })),
  ])
  const { text: csv } = convertText(json, 'json', 'csv', { escapeFormulas: true })
  assert.equal(
    csv,
    "'=h,b\r\n'=1+1,-1\r\n'+1,2\r\n'-1,2\r\n'@x,2\r\n'\tx,2\r\n\"'\rx\",2\r\na=1,2\r\n'＝1,2\r\n",
  )
  assert.match(convertText(json, 'json', 'csv').text, /^=h,b\r\n=1\+1,-1/)
})

test('a column name with more parts than objects may nest is refused', () => {
  const name = (parts: number) => Array(parts).fill('a').join('.')
  const nested = (parts: number) => convertErrorOf(`${name(parts)}\n1`, 'csv', 'json', { flatten: true })
  assert.match(nested(64), /^no error/)
  for (const parts of [65, 1_000_000])
    assert.equal(nested(parts), 'null:null the name of column 1 is nested too deeply (limit 64 levels)')
})

test('flatten turns nested objects into columns and back', () => {
  const json = '[{"a":{"b":1,"c":{"d":"x"}},"e.f":[1],"g":{}}]'
  const csv = convertText(json, 'json', 'csv', { flatten: true }).text
  assert.equal(csv, 'a.b,a.c.d,e\\.f,g\r\n1,x,"[1]","{}"\r\n')
  assert.equal(convertText(csv, 'csv', 'json', { flatten: true }).text, json)
  assert.equal(
    convertText('a,a.b,c.d\n,1,2', 'csv', 'json', { flatten: true }).text,
    '[{"a":{"b":1},"c":{"d":2}}]',
  )
  assert.equal(convertText('a,a.b\n1,2', 'csv', 'json', { flatten: true }).text, '[{"a":1,"a.b":2}]')
})

test('errors name the limit that was exceeded', () => {
  const limits = { ...CALL_LIMITS, rows: 2, columns: 2, depth: 3, tables: 1, writtenBytes: 20 }
  const error = (...[text, from, to]: Parameters<typeof convertText>) =>
    convertErrorOf(text, from, to, { limits })
  assert.equal(error('1\n2\n3', 'ndjson', 'json'), '3:null too many rows (limit 2)')
  assert.equal(error('a,b,c', 'csv', 'json'), '1:5 too many columns in a row (limit 2)')
  assert.equal(error('{"a":1,"b":2,"c":3}', 'ndjson', 'csv'), 'null:null too many columns in data (limit 2)')
  assert.equal(
    error('[[[[1]]]]', 'json', 'json'),
    '1:4 lists and objects are nested too deeply (limit 3 levels)',
  )
  assert.equal(error('{"a":[{"b":1}],"c":[]}', 'json', 'csv'), 'null:null too many tables (limit 1)')
  assert.equal(
    error('"123456789012345678901"', 'ndjson', 'json'),
    'null:null the converted text is too long (limit 20 bytes)',
  )
})

test('CSV with semicolons is one column and a warning by default, and a table with the option delimiter', () => {
  const text = 'id;price\r\n1;"2;5"\r\n'
  const read = convertText(text, 'csv', 'json')
  assert.equal(read.text, '[{"id;price":"1;\\"2;5\\""}]')
  assert.match(read.notes[0] ?? '', /^1 the row is a single cell that contains ";": .* with delimiter ";"$/)
  const table = convertText(text, 'csv', 'json', { delimiter: ';' })
  assert.equal(table.text, '[{"id":1,"price":"2;5"}]')
  assert.deepEqual(table.notes, [])
  // CSV is written with commas, and TSV is always read with tabs.
  assert.equal(convertText(text, 'csv', 'csv', { delimiter: ';' }).text, 'id,price\r\n1,2;5\r\n')
  assert.equal(convertText('a\tb\n1\t2\n', 'tsv', 'json', { delimiter: ';' }).text, '[{"a":1,"b":2}]')
})

test('a first cell that is quoted, or has no other delimiter in it, gives no warning', () => {
  for (const text of ['word\none\n', '"Tallinn, Harju"\none\n', '"a;b"\none\n'])
    assert.deepEqual(convertText(text, 'csv', 'json').notes, [], text)
})
