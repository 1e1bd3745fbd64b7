import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readBody } from './read-body.ts'

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url))
/** Bytes that are not valid UTF-8. */
const BYTES = Uint8Array.of(0xff, 0xfe, 0, 1, 13, 10)

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-call-'))
  writeFileSync(join(folder, 'take 1.wav'), BYTES)
  writeFileSync(join(folder, 'words.txt'), 'two\nlines')
})
after(() => rmSync(folder, { recursive: true, force: true }))

/** A form as a server parses it. */
async function decode(...parts: string[]): Promise<FormData> {
  const body = await readBody(undefined, parts)
  assert.ok(body)
  return await new Response(body.bytes, { headers: { 'content-type': body.contentType } }).formData()
}

function fileOf(form: FormData, name: string): File {
  const value = form.get(name)
  assert.ok(value instanceof File)
  return value
}

test('a part of a form is a text, a file, or the text of a file', async () => {
  const form = await decode(
    `file=@${join(folder, 'take 1.wav')}`,
    'model=a=b',
    'empty=',
    `prompt=<${join(folder, 'words.txt')}`,
  )
  const file = fileOf(form, 'file')
  assert.deepEqual([file.name, file.type], ['take 1.wav', 'audio/wav'])
  assert.deepEqual(new Uint8Array(await file.arrayBuffer()), BYTES)
  // The encoding of forms ends lines with CRLF (HTML, multipart/form-data encoding algorithm).
  assert.deepEqual([form.get('model'), form.get('empty'), form.get('prompt')], ['a=b', '', 'two\r\nlines'])
})

test('the type and name of a file can be set', async () => {
  const form = await decode(`file=@${join(folder, 'words.txt')};type=audio/mpeg;filename=talk`)
  const { name, type } = fileOf(form, 'file')
  assert.deepEqual([name, type], ['talk', 'audio/mpeg'])
})

test('--data is sent as JSON, and a file as its unmodified bytes', async () => {
  assert.deepEqual(await readBody('{"a":1}', []), {
    contentType: 'application/json',
    bytes: new TextEncoder().encode('{"a":1}'),
  })
  assert.deepEqual((await readBody(`@${join(folder, 'take 1.wav')}`, []))?.bytes, BYTES)
  assert.equal(await readBody(undefined, []), undefined)
})

test('invalid options are rejected with a reason', async () => {
  await assert.rejects(readBody('{}', ['a=b']), { name: 'UsageError', message: /exclude each other/ })
  await assert.rejects(readBody(undefined, ['alone']), { name: 'UsageError', message: /name=@file/ })
  const missing = join(folder, 'none.wav')
  for (const body of [readBody(`@${missing}`, []), readBody(undefined, [`file=@${missing}`])])
    await assert.rejects(body, { name: 'UsageError', message: `${missing} cannot be read (ENOENT)` })
})

test('the command posts the form', async () => {
  let seen: { method: string | undefined; type: string; body: Buffer<ArrayBuffer> } | undefined
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)) as Buffer<ArrayBuffer>
    seen = { method: request.method, type: request.headers['content-type'] ?? '', body }
    response.end('heard')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const words = [MAIN, 'call', url, '-F', `file=@${join(folder, 'take 1.wav')}`]
  const out = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, words, (error, stdout) => (error ? reject(error) : resolve(stdout)))
  })
  server.close()
  assert.deepEqual([out, seen?.method], ['heard', 'POST'])
  assert.ok(seen)
  const form = await new Response(seen.body, { headers: { 'content-type': seen.type } }).formData()
  assert.equal(fileOf(form, 'file').name, 'take 1.wav')
})
