import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { spawnWithLifeline } from '@tollbook/testing/commands/spawn-with-lifeline'
import { findFreePort } from '@tollbook/testing/servers/free-port'
import { OPERATOR_SETTING } from '../paying/operator-key.ts'

const RULES = join(import.meta.dirname, '../../ops/prometheus')

/** Why tests with the Debian package `prometheus` are skipped, or false. */
export const withoutPrometheus: false | string = ['prometheus', 'promtool'].some(
  (program) => spawnSync(program, ['--version']).error,
)
  ? 'the package prometheus is not installed'
  : false

/** Runs promtool on files of `ops/prometheus`. */
export function promtool(...words: readonly string[]) {
  return spawnSync('promtool', words, { cwd: RULES, encoding: 'utf8' })
}

type IsEnough = (firing: readonly string[]) => boolean

/** A real Prometheus on loopback with the alert rules of the repository. */
export type Prometheus = {
  /** Repeats the work until exactly these alerts fire, or until `isEnough` of those that do. */
  until(wanted: readonly string[] | IsEnough, work?: () => Promise<unknown>): Promise<void>
  /** The status of the answer to a query. */
  query(expression: string): Promise<string>
  close(): Promise<void>
}

/**
 * Starts it for the metrics of these services, with the operator's key, once a second. Alerts fire at once instead of after their
 * `for`.
 * @param minuteSeconds how long a minute of the rules lasts
 */
export async function startPrometheus(urls: readonly string[], minuteSeconds = 60): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-prometheus-'))
  writeFileSync(join(folder, 'alerts.yml'), readRules(minuteSeconds))
  const targets = urls.map((url) => new URL(url).host)
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '200ms' },
    rule_files: ['alerts.yml'],
    scrape_configs: [
      {
        job_name: 'tollbook',
        authorization: { credentials: OPERATOR_SETTING.TOLLBOOK_OPERATOR_KEY },
        static_configs: [{ targets }],
      },
    ],
  }
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const address = `127.0.0.1:${await findFreePort()}`
  const child = spawnWithLifeline(
    [
      'prometheus',
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    { PATH: process.env.PATH ?? '' },
  )
  child.stdout.resume()
  child.stderr.resume()
  const ask = async (path: string) => (await fetch(`http://${address}/api/v1/${path}`)).json()
  const ready = async () => (await fetch(`http://${address}/-/ready`)).ok
  while (!(await ready().catch(() => false))) await wait(50)
  const firing = async () => {
    const { data } = (await ask('alerts')) as {
      data: { alerts: readonly { labels: { alertname: string }; state: string }[] }
    }
    const names = data.alerts.filter(({ state }) => state === 'firing').map((one) => one.labels.alertname)
    return [...new Set(names)].toSorted()
  }
  return {
    async until(wanted, work = async () => {}) {
      const isEnough =
        typeof wanted === 'function' ? wanted : (names: readonly string[]) => `${names}` === `${wanted}`
      for (;;) {
        await work()
        if (isEnough(await firing())) return
        await wait(200)
      }
    },
    query: async (expression) =>
      ((await ask(`query?query=${encodeURIComponent(expression)}`)) as { status: string }).status,
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const UNIT_MINUTES = { m: 1, h: 60 } as const

/** The rules without `for`, their windows and the age of a stuck call in shorter minutes. */
function readRules(minuteSeconds: number): string {
  return readFileSync(join(RULES, 'alerts.yml'), 'utf8')
    .replaceAll(/^ +for: .+\n/gm, '')
    .replaceAll(
      /\[(\d+)([mh])\]/g,
      (_, count, unit: 'm' | 'h') => `[${count * UNIT_MINUTES[unit] * minuteSeconds}s]`,
    )
    .replace('> 1800', `> ${30 * minuteSeconds}`)
}
