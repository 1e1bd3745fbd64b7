import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { convertErrorOf, convertText } from '@tollbook/testing/utility/converting'
import { drawnDump } from '@tollbook/testing/utility/draw-dumps'
import { judgeDump } from '@tollbook/testing/utility/judge-dump'

const read = (sql: string) => convertText(sql, 'sql', 'json')
const errorOf = (sql: string) => convertErrorOf(sql, 'sql', 'json')

test('an INSERT ends before the next statement, with or without a semicolon', () => {
  const two = '[{"a":1},{"a":2}]'
  assert.equal(read('INSERT INTO t (a) VALUES (1)\nINSERT INTO t (a) VALUES (2)').text, two)
  assert.equal(read('INSERT INTO t (a) VALUES (1)\nGO\nINSERT INTO t (a) VALUES (2)\ngo').text, two)
  assert.equal(read('INSERT [dbo].[t] ([a]) VALUES (1) INSERT dbo.t (a) VALUES (2)').text, two)
  assert.equal(
    read('BEGIN\nINSERT INTO t (a) VALUES (1);\nINSERT INTO t (a) VALUES (2);\nEND;\n/\n').text,
    two,
  )
  assert.equal(read("SET IDENTITY_INSERT [t] ON\nINSERT INTO t (a) VALUES (1), (2)\nPRINT 'x'").text, two)
})

test('whatever else follows a row is an error with its line, never a lost row', () => {
  const expected = 'expected "," or ";" after a row, found'
  assert.match(errorOf('INSERT INTO t (a) VALUES\n(1),(2)(3)'), new RegExp(`^2:8 ${expected} "\\("`))
  assert.match(
    errorOf('INSERT INTO t (a) VALUES (1)\nNSERT INTO t (a) VALUES (2)'),
    new RegExp(`^2:1 ${expected} NSERT`),
  )
  assert.match(
    errorOf('INSERT INTO t (a) VALUES (1);\nNSERT INTO t (a) VALUES (2)'),
    /^2:1 expected a statement/,
  )
  assert.match(errorOf('INSERT INTO t (a) VALES (1)'), /^1:19 expected VALUES, found VALES/)
  assert.match(
    errorOf('CREATE TABLE t (a int;\nINSERT INTO t VALUES (1);'),
    /^1:22 expected "\)" after the columns of t/,
  )
  assert.match(errorOf('CREATE TABLE t (a int)\n(1), (2);'), /^2:1 a row without an INSERT/)
  assert.match(errorOf('SET x = 1\nt (a) VALUES (1);'), /^2:7 VALUES without an INSERT/)
  assert.match(errorOf('IF 1 = 2\nINSERT INTO t VALUES (1);'), /^2:1 INSERT under a condition/)
  assert.match(errorOf('INSERT INTO t VALUES (1)\nGO 5'), /^2:1 GO 5 repeats its batch/)
  assert.match(errorOf('/*!50000 INSERT INTO t VALUES (1) */;'), /^1:1 rows in a conditional comment/)
  assert.match(
    errorOf('CREATE TRIGGER x AFTER INSERT ON t BEGIN\nINSERT INTO l VALUES (1);\n'),
    /body of this trigger does not end/,
  )
  assert.match(errorOf('INSERT INTO t DEFAULT VALUES;'), /^1:15 expected VALUES, found DEFAULT/)
})

test('scripts of SQL Server are read: brackets, N strings, temporary tables, identities, money and casts', () => {
  const sql = `USE [Shop]
GO
/****** Object: Table ******/
SET ANSI_NULLS ON
GO
CREATE TABLE [dbo].[Order's ]] Lines](
	[Id] [int] IDENTITY(1,1) NOT NULL,
	[Name] [nvarchar](max) NULL,
 CONSTRAINT [PK] PRIMARY KEY CLUSTERED ([Id] ASC)
) ON [PRIMARY]
GO
CREATE PROCEDURE p AS
BEGIN
  BEGIN TRANSACTION;
  INSERT INTO log VALUES (1);
END
GO
INSERT INTO [dbo].[Order's ]] Lines] VALUES (N'it''s')
CREATE TABLE #t (a money)
INSERT #t VALUES ($19.99)
INSERT [d] ([at], [small], [text], [day]) VALUES (CAST(0x0000901A00C5C100 AS DateTime), CAST(0x901A02D0 AS SmallDateTime), CONVERT(nvarchar(5), N'x', 1), CAST(N'2026-11-29' AS Date))
GO
`
  const { texts, notes } = read(sql)
  assert.deepEqual(texts, {
    "Order's ] Lines": '[{"Name":"it\'s"}]',
    '#t': '[{"a":19.99}]',
    // 0x901A = 36,890 days after 1900-01-01; 0xC5C100 = 12,960,000 / 300 s = 12 h; 0x2D0 = 720 min.
    d: '[{"at":"2001-01-01 12:00:00.000","small":"2001-01-01 12:00:00","text":"x","day":"2026-11-29"}]',
  })
  assert.deepEqual(notes, [])
})

test('scripts of Oracle are read: SQL*Plus, blocks, INSERT ALL, chosen quotes and dates', () => {
  const sql = `REM it's
SET DEFINE OFF
PROMPT it's
CREATE OR REPLACE PROCEDURE p IS
BEGIN
  INSERT INTO log VALUES (1);
END p;
/
BEGIN
  INSERT INTO t (a, at) VALUES ( q'[it's]', TO_DATE('17-JUN-87', 'DD-MON-RR') );
END;
/
INSERT ALL
  INTO t (a, at) VALUES ('x', TO_TIMESTAMP('2026-11-29 01:02:03.5 PM', 'YYYY-MM-DD HH:MI:SS.FF PM'))
  INTO t (a, at) VALUES ('y', NULL)
SELECT * FROM dual;
`
  assert.equal(
    read(sql).text,
    '[{"a":"it\'s","at":"1987-06-17"},{"a":"x","at":"2026-11-29 13:02:03.5"},{"a":"y","at":null}]',
  )
  assert.match(
    errorOf("INSERT INTO t VALUES (TO_DATE('30-FEB-20', 'DD-MON-RR'))"),
    /^1:23 TO_DATE cannot be evaluated/,
  )
  assert.match(errorOf('INSERT ALL INTO t VALUES (1) SELECT * FROM emp;'), /INSERT ALL is supported only/)
})

test('changes after the rows, DEFAULT and columns without a value are told', () => {
  const sql = `CREATE TABLE t (a int, b int);
INSERT INTO t VALUES (1, DEFAULT);
INSERT INTO t (a) VALUES (2);
DELETE FROM t WHERE a = 1;
DELETE FROM sqlite_sequence;`
  const { text, notes } = convertText(sql, 'sql', 'csv')
  assert.equal(text, 'a,b\r\n1,\r\n2,\r\n')
  assert.deepEqual(notes, [
    '2 table t: DEFAULT is written as null',
    '3 this row of t has no "b", which is null here and in all further rows without it',
    '4 DELETE is skipped: the rows are as they were inserted',
  ])
  const set = read("INSERT INTO `t` SET `a` = 1, b = 'x' ON DUPLICATE KEY UPDATE a = VALUES(a);")
  assert.equal(set.text, '[{"a":1,"b":"x"}]')
})

test('no row of a mutated dump is lost without an error or a warning', () => {
  fc.assert(
    fc.property(drawnDump, (dump) => {
      const { kind, why } = judgeDump(dump)
      assert.notEqual(kind, 'lost', why)
      if (dump.mutations.length === 0) assert.equal(kind, 'complete', why)
    }),
    { numRuns: 500 },
  )
})
