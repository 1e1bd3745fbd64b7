import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UploadedFile } from '@tollbook/http/request/uploaded-file'
import type { PaidRoute } from '../contract/paid-route.ts'
import { fingerprintOf } from './fingerprint.ts'

const plain = Object.assign((_: string, text: string) => text, {
  begin: () => {
    const pieces: string[] = []
    return { update: (piece: string) => void pieces.push(piece), digest: () => pieces.join('') }
  },
})
// The fingerprint only reads the endpoint's id.
const endpoint = { id: 'say' } as PaidRoute

function fingerprint(
  input: unknown,
  more: { accept?: string; ifMatch?: string; file?: string; type?: string } = {},
): Promise<string> {
  const { accept = '', ifMatch = '', file, type = 'audio/wav' } = more
  const bytes = new TextEncoder().encode(file)
  const upload: UploadedFile = { contentType: type, bytes }
  const files = new Map(file === undefined ? [] : [['file', upload]])
  const headers = new Headers({ accept, 'if-match': ifMatch })
  const request = new Request('https://shop.example/say', { headers })
  return fingerprintOf(plain, { endpoint, request }, { input, files })
}

test('the order of arguments makes no difference, their values do', async () => {
  assert.equal(await fingerprint({ a: 1, b: 2 }), await fingerprint({ b: 2, a: 1 }))
  assert.notEqual(await fingerprint({ a: 1 }), await fingerprint({ a: '1' }))
  assert.notEqual(await fingerprint({ a: [1, 2] }), await fingerprint({ a: [2, 1] }))
})

test('accepting any format means JSON; another format, version or file is another request', async () => {
  assert.equal(
    await fingerprint({}, { accept: '*/*' }),
    await fingerprint({}, { accept: 'application/json;q=0.9, text/csv' }),
  )
  assert.notEqual(await fingerprint({}, { accept: 'image/png' }), await fingerprint({}))
  assert.notEqual(await fingerprint({}, { ifMatch: '"1"' }), await fingerprint({}))
  assert.notEqual(await fingerprint({}, { file: 'a' }), await fingerprint({}, { file: 'b' }))
  assert.notEqual(
    await fingerprint({}, { file: 'a' }),
    await fingerprint({}, { file: 'a', type: 'text/csv' }),
  )
})

test('the hash of a long request does not depend on the pieces in which it is written', async () => {
  const input = { a: 'ä\u{1f600}"'.repeat(50_000), b: Array.from({ length: 30_000 }, (_, at) => ({ at })) }
  const members = JSON.stringify(input)
  assert.equal(await fingerprint(input), `["say",${members},[],"application/json",""]`)
})
