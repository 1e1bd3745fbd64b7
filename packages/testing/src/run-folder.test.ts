import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { makeRunFolder } from './run-folder.ts'

const parent = mkdtempSync(join(tmpdir(), 'tollbook-run-folder-'))
after(() => rmSync(parent, { recursive: true, force: true }))

/** Makes a folder, prints its path, and then waits. */
const RUN = `import { makeRunFolder } from ${JSON.stringify(join(import.meta.dirname, 'run-folder.ts'))}
  console.log(makeRunFolder('soak', ${JSON.stringify(parent)}))
  setInterval(() => {}, 1000)`

async function startRun() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', RUN], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [folder] = (await once(createInterface(child.stdout), 'line')) as [string]
  const kill = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { folder, kill }
}

test('the folder of a killed run goes when the next begins, and that of a running one stays', async () => {
  const [killed, running] = [await startRun(), await startRun()]
  try {
    writeFileSync(join(killed.folder, 'models.json'), '{}')
    await killed.kill()
    assert.ok(existsSync(killed.folder))
    const others = ['tollbook-soak-ABCDEF', 'tollbook-soak-cache-1-ABCDEF', 'soak-999999999-ABCDEF']
    for (const other of others) mkdirSync(join(parent, other))
    const own = makeRunFolder('soak', parent)
    assert.match(basename(own), new RegExp(`^tollbook-soak-${process.pid}-`))
    assert.deepEqual(readdirSync(parent).sort(), [...others, basename(own), basename(running.folder)].sort())
  } finally {
    await running.kill()
  }
})
