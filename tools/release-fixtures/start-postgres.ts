import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const BINARIES = '/usr/lib/postgresql/15/bin'

/** A PostgreSQL that can be dumped; the one that npm has comes without pg_dump. */
export function startDumpedPostgres() {
  const home = mkdtempSync(join(tmpdir(), 'tollbook-fixture-pg-'))
  chmodSync(home, 0o777)
  // PostgreSQL refuses root.
  const user = process.getuid?.() === 0 ? ['runuser', '-u', 'nobody', '--'] : ['env']
  const run = (program: string, ...words: readonly string[]) => {
    const [first = '', ...rest] = [...user, join(BINARIES, program), ...words]
    return execFileSync(first, rest, {
      cwd: '/',
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  }
  run('initdb', '-D', `${home}/data`, '-U', 'postgres', '-A', 'trust')
  run('pg_ctl', '-D', `${home}/data`, '-l', `${home}/log`, '-w', '-o', `-k ${home} -h ''`, 'start')
  return {
    url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(home)}`,
    dump: () => {
      const sql = run('pg_dump', '-h', home, '-U', 'postgres', '--inserts', '--no-owner', 'postgres')
      // Meta-commands of psql.
      return sql.replaceAll(/^\\.*\n/gm, '')
    },
    close: () => {
      run('pg_ctl', '-D', `${home}/data`, '-m', 'fast', 'stop')
      rmSync(home, { recursive: true })
    },
  }
}
