import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand, withoutSettings } from '@tollbook/testing/commands/running-command'
import { findFreePort } from '@tollbook/testing/servers/free-port'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'

test('commands that need a database which does not answer name its host and the setting, not its password', async () => {
  const port = await findFreePort()
  const environment = {
    ...withoutSettings(),
    TOLLBOOK_DATA_DIR: temporaryFolder('absent-database'),
    TOLLBOOK_STATE_URL: `postgres://tollbook:secret@127.0.0.1:${port}/tollbook`,
  }
  const commands = [
    ['migrate'],
    ['session', 'somebody'],
    ['disputes'],
    ['restore', '--check'],
    ['check', 'report'],
  ]
  await Promise.all(
    commands.map(async (words) => {
      const { code, stdout, stderr } = await runCommand(words, environment)
      const output = `${stdout}${stderr}`
      assert.notEqual(code, 0, `${words}`)
      const why = `TOLLBOOK_STATE_URL: PostgreSQL at 127\\.0\\.0\\.1:${port} does not answer \\(ECONNREFUSED\\)`
      assert.match(output, new RegExp(why), `${words}`)
      assert.doesNotMatch(output, /secret/)
    }),
  )
})
