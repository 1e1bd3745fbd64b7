import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand, withoutSettings } from '@tollbook/testing/commands/running-command'
import { servePages } from '@tollbook/testing/servers/serve-pages'

test('the command imports pages, resumes after an interruption, and reports what it could not import', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-import-'))
  const site = await servePages({
    '/a': '<title>A</title><p>The tide rises twice a day.</p>',
    '/b': '<title>B</title><p>The moon pulls the sea.</p>',
  })
  const environment = {
    ...withoutSettings(),
    TOLLBOOK_DATA_DIR: folder,
    TOLLBOOK_PRIVATE_NETWORK: 'allow',
    TOLLBOOK_UTILITY_PORT: '0',
  }
  const list = join(folder, 'urls.txt')
  const importPages = (words: readonly string[]) => runCommand(['import', 'pages', ...words], environment)
  try {
    writeFileSync(list, `# two pages, and one that is gone\n${site.url}/a\n${site.url}/b\n${site.url}/gone\n`)
    const first = await importPages([list])
    assert.equal(first.code, 0, first.stderr)
    assert.equal(
      first.stdout,
      '2 pages imported, 0 unchanged, 0 excluded by robots.txt or their own metadata, 1 failed\n',
    )
    assert.match(first.stderr, /\/gone: responded with 404\n/)
    const second = await importPages([list])
    assert.match(second.stdout, /^0 pages imported, 2 unchanged, .* 1 failed\n$/)
    const absent = await importPages([join(folder, 'absent.txt')])
    assert.deepEqual([absent.code, absent.stdout], [70, ''])
    assert.match(absent.stderr, /absent\.txt is not a URL, and not a readable file or folder\n$/)
    const baseless = await importPages([folder])
    assert.equal(baseless.code, 2)
    assert.match(baseless.stderr, /^a folder needs --base <url>/)
  } finally {
    site.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
