/**
 * Regenerates the dumps of packages/convert/src/golden/dumps with the programs of this machine, and prints
 * their versions: `npx node packages/testing/src/utility/make-dumps.ts`. Needs sqlite3, PostgreSQL and MariaDB (Debian:
 * `apt-get install sqlite3 postgresql mariadb-server`); as root, PostgreSQL runs as the user nobody.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const FOLDER = join(import.meta.dirname, '../../../convert/src/golden/dumps')
const isRoot = process.getuid?.() === 0

const run = (program: string, words: readonly string[], input = '') =>
  execFileSync(program, words, {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['pipe', 'pipe', 'inherit'],
  })

/** Texts that are difficult for a reader of dumps, in standard quotes. */
const TEXTS = [
  "it''s",
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

const rowsOf = (quote: (text: string) => string) =>
  TEXTS.map((text, at) => `INSERT INTO notes (id, body) VALUES (${at + 1}, ${quote(text)});`).join('\n')
const plain = (text: string) => `'${text.replaceAll(/'(?!')(?<!'')/g, "''")}'`

function makeSqlite(): string {
  const program = `
CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT, UNIQUE (body, id));
CREATE TABLE "order lines" ("key" TEXT, amount REAL, big INTEGER, raw BLOB, "a""b" TEXT DEFAULT (upper('x')));
CREATE TABLE empty (x);
CREATE TABLE log (what TEXT);
CREATE TRIGGER remember AFTER INSERT ON notes BEGIN
  INSERT INTO log VALUES ('seen;' || CASE WHEN new.id > 3 THEN 'late' ELSE 'early' END);
  INSERT INTO log VALUES ('twice');
END;
CREATE VIEW short AS SELECT id FROM notes;
${rowsOf(plain)}
UPDATE notes SET body = 'line one' || char(10) || 'line two' || char(13, 10) || 'end' WHERE id = 4;
INSERT INTO "order lines" VALUES ('k1', 1.10, 9223372036854775807, x'00ff10', NULL), ('k2', -1e100, -5, x'', 'y');
.dump
`
  return run('sqlite3', [':memory:'], program)
}

async function makePostgres(
  folder: string,
): Promise<readonly [inserts: string, copy: string, version: string]> {
  const bin = (name: string) => globSync(`/usr/lib/postgresql/*/bin/${name}`).at(-1) ?? name
  const user = isRoot ? ['runuser', '-u', 'nobody', '--'] : []
  const as = (name: string, words: readonly string[], input = '') => {
    const [program = '', ...rest] = [...user, bin(name), ...words]
    return run(program, rest, input)
  }
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  as('initdb', ['-D', `${folder}/data`, '-U', 'tester', '-A', 'trust', '--encoding=UTF8', '--locale=C'])
  as('pg_ctl', [
    '-D',
    `${folder}/data`,
    '-o',
    `-k ${folder} -c listen_addresses=`,
    '-w',
    '-l',
    `${folder}/log`,
    'start',
  ])
  try {
    const at = ['-h', folder, '-U', 'tester']
    const program = `
CREATE SCHEMA shop;
CREATE TYPE shop.mood AS ENUM ('fine', 'bad; sad');
CREATE TABLE public.notes (id bigint GENERATED ALWAYS AS IDENTITY, body text, length integer GENERATED ALWAYS AS (length(body)) STORED);
CREATE TABLE shop."Order Lines" (id integer PRIMARY KEY, price numeric(12,2), big numeric, ratio double precision,
  paid boolean NOT NULL, meta jsonb, raw bytea, at timestamptz, tags text[], how shop.mood, bits bit(3), CHECK (price < 1e6));
CREATE TABLE empty (x integer);
CREATE FUNCTION shop.fill() RETURNS trigger LANGUAGE plpgsql AS $fill$ BEGIN
  INSERT INTO empty VALUES (1); RETURN NEW; END; $fill$;
CREATE FUNCTION public.add_one() RETURNS void LANGUAGE sql BEGIN ATOMIC
  INSERT INTO public.empty VALUES (1); INSERT INTO public.empty VALUES (2); END;
INSERT INTO notes (body) VALUES ${TEXTS.map((text) => `(${plain(text)})`).join(', ')};
INSERT INTO shop."Order Lines" VALUES
  (1, 1.10, 123456789012345678901234567890.5, 'NaN', true, '{"a":[1,{"b":"it''s"}],"n":1.50}', '\\x00ff10', '2026-11-21T10:00:00Z', '{"a b",c}', 'bad; sad', '101'),
  (2, -0.5, NULL, 1e-7, false, 'null', '', NULL, '{}', NULL, '010');
`
    as('psql', [...at, '-q', '-v', 'ON_ERROR_STOP=1', 'postgres'], program)
    const inserts = as('pg_dump', [...at, '--inserts', 'postgres'])
    const copy = as('pg_dump', [...at, 'postgres'])
    return [inserts, copy, as('pg_dump', ['--version']).trim()]
  } finally {
    as('pg_ctl', ['-D', `${folder}/data`, '-m', 'fast', 'stop'])
  }
}

async function makeMysql(folder: string): Promise<readonly [string, string]> {
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  const user = isRoot ? ['--user=mysql'] : []
  const socket = `${folder}/sock`
  run('mariadb-install-db', [
    '--no-defaults',
    ...user,
    `--datadir=${folder}/data`,
    '--auth-root-authentication-method=normal',
  ])
  const server = spawn(
    'mariadbd',
    [
      '--no-defaults',
      ...user,
      `--datadir=${folder}/data`,
      `--socket=${socket}`,
      '--skip-networking',
      `--pid-file=${folder}/pid`,
    ],
    { stdio: 'ignore' },
  )
  const at = ['--no-defaults', `--socket=${socket}`, '-u', 'root']
  try {
    for (let tries = 0; ; tries += 1) {
      try {
        execFileSync('mariadb', at, { input: 'SELECT 1', stdio: ['pipe', 'ignore', 'ignore'] })
        break
      } catch (error) {
        if (tries > 100) throw error
        await wait(200)
      }
    }
    const quote = (text: string) => plain(text).replaceAll('\\', '\\\\')
    const program = `
CREATE DATABASE shop CHARACTER SET utf8mb4; USE shop;
CREATE TABLE notes (id INT AUTO_INCREMENT PRIMARY KEY, body TEXT, KEY by_body (body(10)));
CREATE TABLE \`order lines\` (\`key\` VARCHAR(20), amount DECIMAL(40,10), ratio DOUBLE, raw VARBINARY(20), text_only BLOB, meta JSON, flags BIT(3), at DATETIME, total INT GENERATED ALWAYS AS (length(\`key\`)) VIRTUAL);
CREATE TABLE empty (x INT);
DELIMITER ;;
CREATE PROCEDURE fill() BEGIN INSERT INTO empty VALUES (1); INSERT INTO empty VALUES (2); END;;
CREATE TRIGGER remember AFTER INSERT ON notes FOR EACH ROW BEGIN INSERT INTO empty VALUES (NEW.id); END;;
DELIMITER ;
DROP TRIGGER remember;
CREATE TRIGGER remember AFTER DELETE ON notes FOR EACH ROW INSERT INTO empty VALUES (OLD.id);
CREATE VIEW short AS SELECT id FROM notes;
${rowsOf(quote)}
UPDATE notes SET body = concat('line one', char(10), 'line two', char(13, 10), 'end') WHERE id = 4;
INSERT INTO \`order lines\` (\`key\`, amount, ratio, raw, text_only, meta, flags, at) VALUES
  ('k1', 123456789012345678901234567890.5, 1e-7, x'00ff10', 'plain', '{"a":[1,"it''s"]}', b'101', '2026-11-21 10:00:00'),
  ('k2', -0.5, NULL, x'', NULL, NULL, NULL, NULL);
`
    run('mariadb', [...at, '--default-character-set=utf8mb4'], program)
    const dump = run('mariadb-dump', [
      ...at,
      '--hex-blob',
      '--routines',
      '--triggers',
      '--default-character-set=utf8mb4',
      'shop',
    ])
    return [dump, run('mariadb-dump', ['--version']).trim()]
  } finally {
    server.kill('SIGTERM')
    await new Promise((resolve) => server.once('exit', resolve))
  }
}

const folder = mkdtempSync(join(tmpdir(), 'tollbook-dumps-'))
try {
  chmodSync(folder, 0o777)
  writeFileSync(join(FOLDER, 'sqlite.sql'), makeSqlite())
  process.stdout.write(`sqlite3 ${run('sqlite3', ['--version']).split(' ')[0]}\n`)
  const [inserts, copy, postgres] = await makePostgres(join(folder, 'pg'))
  writeFileSync(join(FOLDER, 'postgres-inserts.sql'), inserts)
  writeFileSync(join(FOLDER, 'postgres-copy.sql'), copy)
  process.stdout.write(`${postgres}\n`)
  const [mysql, version] = await makeMysql(join(folder, 'my'))
  writeFileSync(join(FOLDER, 'mariadb.sql'), mysql)
  process.stdout.write(`${version}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
