#!/usr/bin/env node
// The command of an npm package, in the syntax of every Node that npm runs on: an older one starts the Node 24 that
// is installed as a package, or prints what to install.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAIN = new URL('../dist/main.js', import.meta.url)
const MIN = [24, 12]

const [major, minor] = process.versions.node.split('.').map(Number)
if (major > MIN[0] || (major === MIN[0] && minor >= MIN[1])) await import(MAIN.href)
else runPackagedNode()

function runPackagedNode() {
  const child = spawn(findPackagedNode(), [fileURLToPath(MAIN), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

function findPackagedNode() {
  const isWindows = process.platform === 'win32'
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/node${isWindows ? '.exe' : ''}`)
  } catch {
    const command = basename(fileURLToPath(import.meta.url)).replace(/\.m?js$/, '')
    process.stderr.write(
      `${command}: Node ${process.version} is too old and ${name} is not installed: install Node ${MIN.join('.')} or newer\n`,
    )
    process.exit(70)
  }
}
