import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

test('a guarded function cannot end the process, also later; other code can', () => {
  const module = import.meta.resolve('./guard-exit.ts')
  const code = `
    import { setTimeout } from 'node:timers/promises'
    import { createExitGuard } from '${module}'
    const guard = createExitGuard()
    const refusals = []
    const add = ({ message }) => void refusals.push(message)
    try { guard((code) => process.exit(code))(3) } catch (error) { add(error) }
    await guard(async () => { await setTimeout(1); process.exit(4) })().catch(add)
    try { guard(() => process.abort())() } catch (error) { add(error) }
    console.log(guard((a, b) => a + b)(1, 2), refusals.join())
    process.exit(5)
  `
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  })
  const refused = (name: string) => `a handler must not end the process (process.${name})`
  assert.equal(stdout, `3 ${refused('exit')},${refused('exit')},${refused('abort')}\n`)
  assert.equal(status, 5)
})
