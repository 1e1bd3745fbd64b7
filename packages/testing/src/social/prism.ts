import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const PRISM = createRequire(import.meta.url).resolve('@stoplight/prism-cli/dist/index.js')

/**
 * Starts Prism, which validates requests against an OpenAPI document and answers with its examples.
 * @returns its URL on loopback, and the function that stops it.
 */
export async function startPrism(document: unknown) {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-prism-'))
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  const prism = spawn(process.execPath, [PRISM, 'mock', '--host', '127.0.0.1', '--port', '0', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  // Its further output is read too, since a full pipe would block it.
  createInterface(prism.stdout).on('line', (line) => {
    const url = /listening on (http:\/\/[\d.:]+)/.exec(line)?.[1]
    if (url) resolve(url)
  })
  prism.on('error', reject)
  prism.on('exit', (code) => reject(new Error(`Prism exited with ${code}`)))
  const close = () => {
    prism.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  return { url: await promise, close }
}
