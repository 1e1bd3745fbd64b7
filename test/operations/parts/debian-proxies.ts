import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findFreePort } from '@tollbook/testing/servers/free-port'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'

/** A reverse proxy of Debian with the configuration of its package, of which only places and the user are changed. */
export type DebianProxy = {
  readonly program: string
  /** The least that makes it a reverse proxy. */
  readonly minimal: string
  /** Writes its configuration with that part in a folder, and returns how to start it. */
  prepare(folder: string, site: string): readonly string[]
  readonly environment?: (folder: string) => NodeJS.ProcessEnv
}

/** As in the documents: where the proxy listens, its port, and that of the service. */
const LISTENS = /(?<before>listen |bind |http:\/\/):?8080/g
const FRONT = /\b8080\b/g
const BACK = /\b4022\b/g

export const DEBIAN_PROXIES: Readonly<Record<string, DebianProxy>> = {
  nginx: {
    program: '/usr/sbin/nginx',
    minimal: 'server { listen 127.0.0.1:8080; location / { proxy_pass http://127.0.0.1:4022; } }',
    prepare: (folder, site) => {
      const kept = readFileSync('/etc/nginx/nginx.conf', 'utf8')
        .replace(/^user .*;/m, `user ${userInfo().username};`)
        .replace('/run/nginx.pid', `${folder}/nginx.pid`)
        .replaceAll('/var/log/nginx', folder)
        .replace('/etc/nginx/sites-enabled/*', `${folder}/site`)
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
        .join('\n')
      writeFileSync(join(folder, 'nginx.conf'), kept)
      writeFileSync(join(folder, 'site'), `${temporary}\n${site}`)
      return ['-c', `${folder}/nginx.conf`, '-e', `${folder}/error.log`, '-g', 'daemon off;']
    },
  },
  caddy: {
    program: '/usr/bin/caddy',
    minimal: 'http://127.0.0.1:8080 {\n\treverse_proxy 127.0.0.1:4022\n}',
    prepare: (folder, site) => {
      // Its interface for administration has a port of its own.
      writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n${site}`)
      return ['run', '--adapter', 'caddyfile', '--config', `${folder}/Caddyfile`]
    },
    environment: (folder) => ({ HOME: folder }),
  },
  haproxy: {
    program: '/usr/sbin/haproxy',
    minimal:
      'frontend front\n  bind 127.0.0.1:8080\n  default_backend back\nbackend back\n  server one 127.0.0.1:4022\n',
    prepare: (folder, site) => {
      const kept = readFileSync('/etc/haproxy/haproxy.cfg', 'utf8')
        .split('\n')
        .filter((line) => !/^\s*(log \/dev|chroot|stats socket|user|group|daemon)\b/.test(line))
      writeFileSync(join(folder, 'haproxy.cfg'), `${kept.join('\n')}\n${site}`)
      return ['-db', '-f', `${folder}/haproxy.cfg`]
    },
  },
  apache2: {
    program: '/usr/sbin/apache2',
    minimal: '<VirtualHost *:8080>\n  ProxyPass / http://127.0.0.1:4022/\n</VirtualHost>',
    prepare: (folder, site) => {
      cpSync('/etc/apache2', folder, { recursive: true, verbatimSymlinks: true })
      // What `a2enmod proxy_http` and `a2ensite` do.
      for (const name of ['proxy.load', 'proxy.conf', 'proxy_http.load'])
        if (!existsSync(join(folder, 'mods-enabled', name)))
          symlinkSync(`../mods-available/${name}`, join(folder, 'mods-enabled', name))
      writeFileSync(join(folder, 'ports.conf'), 'Listen 127.0.0.1:8080\nServerName localhost\n')
      writeFileSync(join(folder, 'sites-enabled/000-default.conf'), site)
      return ['-d', folder, '-f', 'apache2.conf', '-D', 'FOREGROUND']
    },
    environment: (folder) => ({
      APACHE_RUN_USER: 'www-data',
      APACHE_RUN_GROUP: 'www-data',
      APACHE_PID_FILE: `${folder}/apache2.pid`,
      APACHE_RUN_DIR: folder,
      APACHE_LOCK_DIR: folder,
      APACHE_LOG_DIR: folder,
    }),
  },
}

/** Starts it in front of a service. @throws Error with what it said, if it ends. */
export async function startDebianProxy(
  { program, prepare, environment }: DebianProxy,
  site: string,
  service: string,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const folder = temporaryFolder('proxy')
  mkdirSync(folder, { recursive: true })
  const port = await findFreePort()
  const words = prepare(folder, site)
  const files = ['site', 'Caddyfile', 'haproxy.cfg', 'ports.conf', 'sites-enabled/000-default.conf']
  for (const file of files.map((name) => join(folder, name)).filter((path) => existsSync(path))) {
    const text = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      text
        .replaceAll(LISTENS, '$<before>127.0.0.1:8080')
        .replaceAll(FRONT, `${port}`)
        .replaceAll(BACK, new URL(service).port),
    )
  }
  const child = spawn(program, words, { env: { PATH: process.env.PATH, ...environment?.(folder) } })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece))
  const url = `http://127.0.0.1:${port}`
  while (!(await isServing(url))) {
    if (hasEnded(child)) throw new Error(`${program} has ended: ${said}`)
    await wait(50)
  }
  return {
    url,
    async close() {
      if (hasEnded(child)) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

async function isServing(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`)).ok
  } catch {
    return false
  }
}
