import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const QUIET = [
  'background-networking',
  'component-update',
  'sync',
  'default-apps',
  'domain-reliability',
  'quic',
]

/** Starts a browser as an operator would, with its debugging protocol on a free port of this machine. */
export async function startDebuggedChromium(executablePath: string) {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-browser-'))
  const child = spawn(
    executablePath,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--remote-debugging-port=0',
      ...QUIET.map((name) => `--disable-${name}`),
      `--user-data-dir=${folder}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let url: string | undefined
  for await (const line of createInterface({ input: child.stderr })) {
    url = /^DevTools listening on (ws:\S+)/.exec(line)?.[1]
    if (url) break
  }
  if (!url) throw new Error('Chromium told no address of its debugging protocol')
  child.stderr.resume()
  return {
    url,
    pid: child.pid,
    async close() {
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
      // Its own processes may still write for a moment.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    },
  }
}
