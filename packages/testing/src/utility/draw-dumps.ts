import { fc } from '../property.ts'

/** A generated dump, mutated or not. */
export type DrawnDump = {
  readonly style: (typeof STYLES)[number]
  readonly text: string
  /** The dump before it was mutated. */
  readonly original: string
  readonly mutations: readonly string[]
}

export const STYLES = ['mysql', 'postgres', 'copy', 'sqlite', 'sqlserver', 'oracle'] as const
type Style = (typeof STYLES)[number]

/** The first value of every row: a number that occurs nowhere else. After a backslash it is an octal escape. */
export const MARKER = /(?<![\d\\])7\d{6}(?!\d)/g

/** Strings that are syntax outside of a string. */
const TEXTS = [
  'a',
  '',
  "it's",
  "'",
  "''",
  "'); INSERT INTO t1 VALUES (1, 'x');",
  '-- no comment',
  '/* none',
  '*/',
  '# none',
  'GO',
  'line\nGO\nline',
  'line\n/\nline',
  'semi;colon',
  '(x',
  'x)',
  '"',
  '`',
  '[x',
  'x]',
  '$$',
  '$1',
  'C:\\temp\\',
  "\\'",
  '\\',
  'VALUES (1), (2)',
  'END;',
  '😀',
  'sep,arated',
]

const text = fc.constantFrom(...TEXTS)
const table = fc.array(fc.tuple(text, fc.option(text)), { minLength: 1, maxLength: 5 })
const tables = fc.array(table, { minLength: 1, maxLength: 3 })
const choices = fc.record({
  isExtended: fc.boolean(),
  hasColumns: fc.boolean(),
  hasCreate: fc.boolean(),
  extras: fc.subarray([0, 1, 2, 3]),
})

const KINDS = [
  'delete',
  'delete',
  'insert',
  'insert',
  'double',
  'swap',
  'line',
  'twice',
  'join',
  'cut',
  'semicolons',
  'case',
  'separator',
] as const
/** No start of a comment, which would hide rows as it should. */
const PIECES = [
  "'",
  '"',
  '(',
  ')',
  ',',
  ';',
  '\n',
  '\nGO\n',
  '\n/\n',
  '[',
  ']',
  '`',
  '$$',
  '\\',
  ' INSERT ',
  ' ',
  '(2)',
  ' BEGIN ',
  ' END ',
  '),(',
  "','",
  'N',
  '1',
  'x',
]

/** Positions are shares of the length, so that a shrunk case mutates the same place. */
const mutation = fc.record({
  kind: fc.constantFrom(...KINDS),
  at: fc.noBias(fc.integer({ min: 0, max: 99_999 })).map((at) => at / 100_000),
  length: fc.constantFrom(1, 1, 1, 2, 3, 8),
  piece: fc.constantFrom(...PIECES),
})

/** Dumps of five databases with up to three mutations. */
export const drawnDump: fc.Arbitrary<DrawnDump> = fc
  .tuple(fc.constantFrom(...STYLES), tables, choices, fc.array(mutation, { maxLength: 3 }))
  .map(([style, rows, chosen, mutations]) => {
    const original = writeDump(style, rows, chosen)
    return {
      style,
      original,
      text: mutations.reduce(mutate, original),
      mutations: mutations.map(({ kind, at, piece }) => `${kind} ${at.toFixed(3)} ${JSON.stringify(piece)}`),
    }
  })

type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never

function mutate(dump: string, { kind, at, length, piece }: Mutation): string {
  const from = Math.floor(at * dump.length)
  const [before, after] = [dump.slice(0, from), dump.slice(from)]
  const lines = dump.split('\n')
  const line = Math.floor(at * lines.length)
  switch (kind) {
    case 'delete':
      return before + after.slice(length)
    case 'insert':
      return before + piece + after
    case 'double':
      return before + after.slice(0, length) + after
    case 'swap':
      return before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2)
    case 'line':
      return lines.toSpliced(line, 1).join('\n')
    case 'twice':
      return lines.toSpliced(line, 0, lines[line] ?? '').join('\n')
    case 'join':
      return lines.toSpliced(line, 2, `${lines[line]} ${lines[line + 1] ?? ''}`).join('\n')
    case 'cut':
      return before
    case 'semicolons':
      return dump.replaceAll(/;$/gm, '')
    case 'separator':
      return dump.replaceAll(/;$/gm, '\nGO')
    case 'case':
      return dump.replaceAll(/\b(?:INSERT INTO|VALUES)\b/g, (word) => word.toLowerCase())
  }
}

type Chosen = typeof choices extends fc.Arbitrary<infer T> ? T : never
type Rows = readonly (readonly [string, string | null])[]

function writeDump(style: Style, all: readonly Rows[], chosen: Chosen): string {
  let marker = 7_000_000
  const parts = all.map((rows, at) => {
    const table = `t${at + 1}`
    const create = chosen.hasCreate || style === 'copy' ? writeCreate(style, table) : ''
    const numbered = rows.map(([one, two]) => {
      marker += 1
      return [marker, one, two] as const
    })
    const extra = chosen.extras.includes(at) ? EXTRAS[style](table) : ''
    return (
      create +
      (at % 2 === 0 ? extra : '') +
      writeRows(style, table, numbered, chosen) +
      (at % 2 === 1 ? extra : '')
    )
  })
  return HEADS[style] + parts.join(style === 'sqlserver' ? 'GO\n' : '\n')
}

const HEADS: Readonly<Record<Style, string>> = {
  mysql: '-- MariaDB dump 10.19\n/*!40101 SET NAMES utf8mb4 */;\n',
  postgres: '--\n-- PostgreSQL database dump\n--\n\nSET standard_conforming_strings = on;\n',
  copy: '--\n-- PostgreSQL database dump\n--\n\nSET standard_conforming_strings = on;\n',
  sqlite: 'PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n',
  sqlserver: 'USE [db]\nGO\nSET NOCOUNT ON\n',
  oracle: "REM it's a script\nSET DEFINE OFF\nPROMPT it's filling\n",
}

function nameOf(style: Style, name: string): string {
  if (style === 'mysql') return `\`${name}\``
  if (style === 'sqlserver') return `[dbo].[${name}]`
  return style === 'postgres' || style === 'copy' ? `public.${name}` : name
}

function writeCreate(style: Style, table: string): string {
  const name = nameOf(style, table)
  if (style === 'sqlserver')
    return `CREATE TABLE ${name} (\n [id] int NOT NULL,\n [a] nvarchar(max),\n [b] text\n)\nGO\n`
  return `CREATE TABLE ${name} (\n  id integer DEFAULT 0,\n  a varchar(20) DEFAULT 'x',\n  b text\n);\n`
}

/** Statements around the rows, of which those with an INSERT insert none. */
const EXTRAS: Readonly<Record<Style, (table: string) => string>> = {
  mysql: (table) =>
    `LOCK TABLES \`${table}\` WRITE;\nDELIMITER ;;\nCREATE TRIGGER x AFTER INSERT ON ${table} FOR EACH ROW BEGIN\n` +
    'INSERT INTO log VALUES (new.id);\nEND ;;\nDELIMITER ;\nUNLOCK TABLES;\n',
  postgres: (table) =>
    `GRANT SELECT, INSERT ON public.${table} TO bob;\nCREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN\n` +
    "INSERT INTO log VALUES (1);\nRETURN NEW; END; $$;\nSELECT pg_catalog.setval('s', 1, true);\n",
  copy: (table) => `ALTER TABLE ONLY public.${table} ADD CONSTRAINT c CHECK ((a <> ')'::text));\n`,
  sqlite: (table) =>
    `CREATE TRIGGER x_${table} AFTER INSERT ON ${table} WHEN new.a IS NULL BEGIN\nINSERT INTO log VALUES (1);\nEND;\n`,
  sqlserver: (table) =>
    `SET IDENTITY_INSERT [dbo].[${table}] ON\nGO\nCREATE PROCEDURE p AS\nBEGIN\nINSERT INTO log VALUES (1);\nEND\nGO\n`,
  oracle: (table) =>
    `CREATE OR REPLACE TRIGGER x BEFORE INSERT ON ${table} FOR EACH ROW\nBEGIN\nINSERT INTO log VALUES (1);\nEND;\n/\n`,
}

type NumberedRow = readonly [number, string, string | null]

function writeRows(style: Style, table: string, rows: readonly NumberedRow[], chosen: Chosen): string {
  const name = nameOf(style, table)
  if (style === 'copy') {
    const lines = rows.map(
      ([id, one, two]) => `${id}\t${toCopy(one)}\t${two === null ? '\\N' : toCopy(two)}\n`,
    )
    return `COPY ${name} (id, a, b) FROM stdin;\n${lines.join('')}\\.\n\n`
  }
  const columns = chosen.hasColumns ? (style === 'sqlserver' ? ' ([id], [a], [b])' : ' (id, a, b)') : ''
  const tuples = rows.map(
    ([id, one, two]) => `(${id}, ${quote(style, one)}, ${two === null ? 'NULL' : quote(style, two)})`,
  )
  const begin = `${style === 'sqlserver' ? 'INSERT' : 'INSERT INTO'} ${name}${columns} VALUES`
  const end = style === 'sqlserver' ? '\n' : ';\n'
  if (style === 'oracle' && chosen.isExtended)
    return `INSERT ALL\n${tuples.map((tuple) => `INTO ${name}${columns} VALUES ${tuple}\n`).join('')}SELECT * FROM dual;\n`
  const written = chosen.isExtended
    ? `${begin}\n${tuples.join(',\n')}${end}`
    : tuples.map((tuple) => `${begin} ${tuple}${end}`).join('')
  return style === 'oracle' ? `BEGIN\n${written}END;\n/\n` : written
}

function quote(style: Style, value: string): string {
  const doubled = value.replaceAll("'", "''")
  if (style === 'mysql')
    return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
  return style === 'sqlserver' ? `N'${doubled}'` : `'${doubled}'`
}

function toCopy(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}
