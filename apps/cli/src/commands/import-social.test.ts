import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findSources } from '@tollbook/social/import/open-sources'

const main = new URL('../main.ts', import.meta.url).pathname

test('names and contents of files cannot control the terminal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-hostile-'))
  try {
    writeFileSync(join(folder, 'x\x1b[2J\x07.json'), '{"a":')
    const said = await new Promise<string>((resolve) =>
      execFile(
        process.execPath,
        [main, 'import', 'social', folder],
        { env: { PATH: process.env.PATH, TOLLBOOK_DATA_DIR: join(folder, 'kept') } },
        (_error, stdout, stderr) => resolve(stdout + stderr),
      ),
    )
    assert.match(said, /x\\u\{1b\}\[2J\\u\{7\}\.json: line 1: the file ends within a value from line 1 on\n/)
    assert.ok(!said.includes('\x1b') && !said.includes('\x07'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a data archive of an account is refused with what is imported', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-zip-'))
  try {
    const path = join(folder, 'archive.zip')
    writeFileSync(path, 'PK\x03\x04')
    const [place] = await findSources(path)
    await assert.rejects(place?.open() ?? assert.fail(), {
      name: 'PermanentError',
      message: /only JSON and JSONL/,
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
