import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadFacilitators } from '@tollbook/report/chain/facilitator-file'
import { serveSource } from '@tollbook/testing/report/discovery-source'
import { knownFacilitators } from '@tollbook/verify/chain/facilitators'

const main = new URL('../main.ts', import.meta.url).pathname
const NEW = `0x${'ab'.repeat(20)}` as const

test('refresh prints a wallet that the list lacks and writes a file that the settings accept', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-facilitators-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const [listed = ''] = knownFacilitators()
  const signers = { 'eip155:*': [NEW.toUpperCase().replace('0X', '0x'), listed] }
  const { url } = await serveSource(context, () => ({ body: JSON.stringify({ kinds: [], signers }) }))
  const file = join(folder, 'changes.json')
  const first = await run(['facilitators', 'refresh', '--from', url, '--write', file])
  assert.equal(first.code, 1)
  assert.match(first.stdout, new RegExp(`new +${NEW}`))
  assert.ok(loadFacilitators(file).addresses.has(NEW))

  const accepted = await run(['facilitators', 'refresh', '--from', url], { TOLLBOOK_FACILITATORS_FILE: file })
  assert.deepEqual([accepted.code, accepted.stdout.includes(NEW)], [0, false])
  const listing = await run(['facilitators', '--json'], { TOLLBOOK_FACILITATORS_FILE: file })
  const parsed = JSON.parse(listing.stdout) as { facilitators: readonly { address: string }[] }
  assert.equal(parsed.facilitators.length, knownFacilitators().size + 1)
})

function run(words: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  type Ended = { readonly code: unknown; readonly stdout: string }
  return new Promise<Ended>((resolve) =>
    execFile(process.execPath, [main, ...words], { env: { ...process.env, ...settings } }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    ),
  )
}
