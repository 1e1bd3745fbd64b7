import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { FACILITATOR_LIST, knownFacilitators } from '@tollbook/verify/chain/facilitators'
import { loadFacilitators } from './facilitator-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollbook-facilitators-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const NEW = '0xAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
/** The first of the list that comes along. */
const KNOWN = '0x73b2b8df52fbe7c40fe78db52e3dffdd5db5ad07'

function write(content: unknown): string {
  const file = join(folder, 'facilitators.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

test('without a file the list is the one that comes along, with its version', () => {
  const { version, addresses } = loadFacilitators()
  assert.equal(version, FACILITATOR_LIST)
  assert.equal(addresses.size, 127)
})

test('a file adds and removes wallets, and its name and digest stand in the version', () => {
  const file = write({
    name: 'acme 2026-11',
    add: [{ address: NEW }],
    remove: [KNOWN.toUpperCase().replace('X', 'x')],
  })
  const { version, addresses } = loadFacilitators(file)
  assert.match(version, /^x402scan e85e6727 with acme 2026-11 [0-9a-f]{12}$/)
  assert(addresses.has('0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'))
  assert(!addresses.has(KNOWN))
  assert.equal(addresses.size, knownFacilitators().size)
})

const INVALID_FILES: Readonly<Record<string, readonly [unknown, RegExp]>> = {
  'that is not JSON': ['{', /is not JSON/],
  'with an unknown key': [{ added: [] }, /added/],
  'with a malformed address': [
    { add: [{ address: '0x12' }] },
    /add\.0\.address must be 0x and 40 hex digits/,
  ],
  'that names a wallet twice': [{ add: [{ address: NEW }, { address: NEW }] }, /is listed twice under add/],
  'that adds what it removes': [{ add: [{ address: KNOWN }], remove: [KNOWN] }, /both added and removed/],
  'that adds a known wallet': [{ add: [{ address: KNOWN }] }, /is already on the list/],
  'that removes an unknown wallet': [{ remove: [NEW] }, /is not on the list/],
}
for (const [name, [content, message]] of Object.entries(INVALID_FILES))
  test(`a file ${name} is refused with the reason`, () => {
    assert.throws(() => loadFacilitators(write(content)), { name: 'PermanentError', message })
  })

test('a file that cannot be read is named', () => {
  assert.throws(() => loadFacilitators(join(folder, 'none.json')), /none\.json cannot be read/)
})
