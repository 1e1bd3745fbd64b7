import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeZip } from '../../test/social/write-zip.ts'

const main = new URL('../main.ts', import.meta.url).pathname

test('file names in an archive cannot control the terminal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-hostile-'))
  try {
    const userInfo = { accountId: '7', userName: 'seven', displayName: 'Seven' }
    const dataTypes = { 'x\x1b[2J\x07': { files: [{ fileName: 'data/x.js' }] } }
    const content = `window.__THAR_CONFIG = ${JSON.stringify({ userInfo, dataTypes })}`
    writeFileSync(join(folder, 'archive.zip'), writeZip([{ name: 'data/manifest.js', content }]))
    writeFileSync(join(folder, 'broken.zip'), writeZip([{ name: '../\x1b[2J', content: '' }]))
    const said = await new Promise<string>((resolve) =>
      execFile(
        process.execPath,
        [main, 'import', 'social', folder],
        { env: { PATH: process.env.PATH, TOLLBOOK_DATA_DIR: join(folder, 'kept') } },
        (_error, stdout, stderr) => resolve(stdout + stderr),
      ),
    )
    assert.match(said, /not imported: x\\u\{1b\}\[2J\\u\{7\} \(private\)\n/)
    assert.match(said, /invalid relative path: \.\.\/\\u\{1b\}\[2J\n/)
    assert.ok(!said.includes('\x1b') && !said.includes('\x07'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
