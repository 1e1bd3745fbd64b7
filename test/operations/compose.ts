import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findPaidApps } from '@tollbook/cli/commands/apps'
import { COMMANDS } from '@tollbook/cli/commands/command-list'
import { isSetting, loadConfig } from '@tollbook/runtime/config'

const ROOT = join(import.meta.dirname, '../..')
const IMAGE = join(ROOT, 'ops/image')
const COMPOSE = join(IMAGE, 'compose.yaml')
/** What an operator writes to `.env`. */
const FILLED = {
  DOMAIN: 'tollbook.example',
  SOCIAL_PAY_TO: '0x1',
  UTILITY_PAY_TO: '0x2',
  INFERENCE_PAY_TO: '0x3',
  SEARXNG_SECRET: 'secret',
}

type Service = {
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly cap_drop?: readonly string[]
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly healthcheck?: object
  readonly image: string
  readonly read_only?: boolean
  readonly restart?: string
  readonly secrets?: readonly { readonly source: string }[]
  readonly security_opt?: readonly string[]
}

/** Why a program cannot be run here; false if it can. */
function whyNot(program: string, debianPackage: string): string | false {
  const { error } = spawnSync(program, ['version'])
  return error !== undefined && `needs the Debian package ${debianPackage}`
}

/** The services as Compose itself reads them, with anchors, variables and defaults resolved. */
function readServices(): Readonly<Record<string, Service>> {
  const toJson = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)'
  const environment = { ...process.env, ...FILLED }
  const config = spawnSync('docker-compose', ['-f', COMPOSE, 'config'], { env: environment })
  assert.equal(config.status, 0, `${config.stderr}`)
  const { stdout } = spawnSync('python3', ['-c', toJson], { input: config.stdout })
  return (JSON.parse(`${stdout}`) as { readonly services: Record<string, Service> }).services
}

test('Compose accepts the file, and every setting, command and file in it exists', {
  skip: whyNot('docker-compose', 'docker-compose'),
}, () => {
  const services = readServices()
  const names = 'caddy clickhouse facilitator index inference postgres report searxng social utility'
  assert.deepEqual(Object.keys(services).sort(), names.split(' '))
  for (const [name, service] of Object.entries(services)) {
    assert.deepEqual(service.cap_drop, ['ALL'], name)
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
    assert.equal(service.read_only, true, name)
    assert.equal(service.restart, 'unless-stopped', name)
    // Only a host's name has a dot before the first slash, or a port.
    assert.doesNotMatch(service.image, /^[^/]*[.:][^/]*\//, name)
    if (!service.build) {
      assert.ok(service.healthcheck, `${name}; the product's is in its image`)
      continue
    }
    assert.ok(existsSync(join(service.build.context, service.build.dockerfile)), name)
    assert.ok(Object.hasOwn(COMMANDS, service.command?.[0] ?? ''), name)
    const secrets = (service.secrets ?? []).map(({ source }) => `/run/secrets/${source}`)
    for (const [setting, value] of Object.entries(service.environment ?? {})) {
      if (setting === 'HEALTH_PORT') continue
      assert.ok(isSetting(setting.replace(/_FILE$/, '')), `${name}: ${setting}`)
      if (setting.endsWith('_FILE')) assert.ok(secrets.includes(value), `${name}: ${value}`)
    }
  }
})

test('Caddy accepts its file', { skip: whyNot('caddy', 'caddy') }, () => {
  const validate = ['validate', '--adapter', 'caddyfile', '--config', join(IMAGE, 'Caddyfile')]
  const { status, stderr } = spawnSync('caddy', validate, { env: { ...process.env, ...FILLED } })
  assert.equal(status, 0, `${stderr}`)
})

test('the image names its commands, files and settings as the product does', async () => {
  const lines = readFileSync(join(IMAGE, 'Dockerfile'), 'utf8')
  for (const [, sources] of lines.matchAll(/^COPY (?!--from)(.+) \S+$/gm))
    for (const source of sources?.split(' ') ?? [])
      assert.equal(globSync(source, { cwd: ROOT }).length, 1, source)
  for (const setting of lines.match(/TOLLBOOK_\w+/g) ?? []) assert.ok(isSetting(setting), setting)
  const { TOLLBOOK_REPORT_PORT: report, TOLLBOOK_FACILITATOR_PORT: facilitator } = loadConfig({})
  const apps = await findPaidApps()
  const ports = [report, ...apps.map(({ port }) => port), facilitator].map(String)
  // A target for each service, and the last with all of them.
  const exposed = [...lines.matchAll(/^EXPOSE (.+)$/gm)].map(([, list]) => list)
  assert.deepEqual(exposed, [...ports, ports.join(' ')])
})
