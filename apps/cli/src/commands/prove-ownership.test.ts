import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { DEV_CLIENT_KEYS, devPayTo, devPayToKeys } from '@tollbook/chain/dev-accounts'
import { runCommand, withoutSettings } from '@tollbook/testing/commands/running-command'
import { verifyMessage } from 'viem/utils'

const ORIGIN = 'https://utility.example'

test('prints what each wallet signs, signs with the key of a file, and keeps the proofs it has', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-ownership-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const run = (settings: Record<string, string>) =>
    runCommand(['prove-ownership'], {
      ...withoutSettings(),
      TOLLBOOK_UTILITY_BASE_URL: ORIGIN,
      ...settings,
    })
  const file = (key: string) => {
    const path = join(folder, 'key')
    writeFileSync(path, `${key}\n`)
    return { TOLLBOOK_OWNERSHIP_KEY_FILE: path }
  }

  const unsigned = await run({})
  assert.equal(unsigned.code, 1)
  assert.match(unsigned.stdout, new RegExp(`${devPayTo.utility.toLowerCase()} signs\n  ${ORIGIN}\n`))

  const signed = await run(file(devPayToKeys.utility))
  const [, proof] = /^TOLLBOOK_OWNERSHIP_PROOFS=(0x\w+)$/m.exec(signed.stdout) ?? []
  const signature = proof as `0x${string}`
  assert.ok(await verifyMessage({ address: devPayTo.utility, message: ORIGIN, signature }))
  assert.ok(!`${signed.stdout}${signed.stderr}`.includes(devPayToKeys.utility))

  const next = await run({ ...file(devPayToKeys.social), TOLLBOOK_OWNERSHIP_PROOFS: signature })
  assert.match(next.stdout, new RegExp(`^TOLLBOOK_OWNERSHIP_PROOFS=0x\\w+,${signature}$`, 'm'))

  const foreign = await run(file(DEV_CLIENT_KEYS[3]))
  assert.equal(foreign.code, 70)
  assert.match(foreign.stderr, /is the key of 0x90f7\w+, which no service pays/)

  const impossible = await run(file(`0x${'f'.repeat(64)}`))
  assert.equal(impossible.code, 78)
  assert.equal(
    impossible.stderr.trim(),
    'tollbook: wrong settings:\n  TOLLBOOK_OWNERSHIP_KEY: must be a private key of secp256k1',
  )
})
