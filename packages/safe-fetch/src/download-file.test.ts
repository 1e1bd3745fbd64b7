import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { BlockedTarget } from '@tollbook/flow/failure'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { type DownloadOptions, downloadFile } from './download-file.ts'
import { createLiveFetch } from './live-fetch.ts'

/** 300,000 bytes, of which no two parts of the same length are equal. */
const CONTENT = Buffer.from(Uint32Array.from({ length: 75_000 }, (_, at) => at).buffer)
const SHA256 = createHash('sha256').update(CONTENT).digest('hex')
const NEVER = new AbortController().signal
const open = createLiveFetch({ allowPrivateNetwork: true })

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A hub that gives each request its own answer, the last one to all further ones. */
async function startHub(context: TestContext, ...answers: Answer[]) {
  const ranges: (string | undefined)[] = []
  const server = createServer((request, response) => {
    const answer = answers[Math.min(ranges.length, answers.length - 1)]
    ranges.push(request.headers.range)
    answer?.(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/model.bin`, ranges }
}

/** What RFC 9110 section 14 has a server do that supports ranges. */
const serve: Answer = (request, response) => {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
  const rest = CONTENT.subarray(from)
  const range = { 'content-range': `bytes ${from}-${CONTENT.length - 1}/${CONTENT.length}` }
  response.writeHead(from > 0 ? 206 : 200, { 'content-length': rest.length, ...(from > 0 && range) })
  response.end(rest)
}

const answer =
  (status: number, headers = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, headers).end()

function download(url: string, more: Partial<DownloadOptions & { sizeBytes: number; sha256: string }> = {}) {
  const file = more.file ?? join(temporaryFolder('download'), 'model.bin')
  const waits: number[] = []
  const source = { url, sizeBytes: CONTENT.length, sha256: SHA256, ...more }
  const rest = async (ms: number) => void waits.push(ms)
  const done = downloadFile(source, { fetch: open, signal: NEVER, rest, ...more, file })
  return { file, part: `${file}.part`, waits, done }
}

test('a file is downloaded, and exists under its name only when it is complete', async (context) => {
  const hub = await startHub(context, serve)
  const seen: number[] = []
  const { file, part, done } = download(hub.url, {
    onProgress: (bytes) => {
      seen.push(bytes)
      assert.equal(existsSync(file), false)
    },
  })
  await done
  assert.deepEqual(readFileSync(file), CONTENT)
  assert.equal(existsSync(part), false)
  assert.equal(seen.at(-1), CONTENT.length)
  assert.deepEqual(hub.ranges, [undefined])
  // It is complete, so no request is sent.
  await download(hub.url, { file }).done
  assert.equal(hub.ranges.length, 1)
})

test('a broken connection is continued where it broke', async (context) => {
  // The connection breaks once the first bytes are in the part: a break discards what was not read.
  let breakNow = () => {}
  const partly: Answer = (_request, response) => {
    breakNow = () => response.destroy()
    response.writeHead(200, { 'content-length': CONTENT.length })
    response.write(CONTENT.subarray(0, 100_000))
  }
  const hub = await startHub(context, partly, serve)
  const { file, waits, done } = download(hub.url, { onProgress: () => breakNow() })
  await done
  assert.deepEqual(readFileSync(file), CONTENT)
  const [, second] = hub.ranges
  const from = Number(/^bytes=(\d+)-$/.exec(second ?? '')?.[1])
  assert.ok(from > 0 && from <= 100_000, second)
  assert.deepEqual(waits, [1_000])
})

test('the part of an earlier process is continued', async (context) => {
  const hub = await startHub(context, serve)
  const file = join(temporaryFolder('download'), 'model.bin')
  writeFileSync(`${file}.part`, CONTENT.subarray(0, 200_000))
  await download(hub.url, { file }).done
  assert.deepEqual(hub.ranges, ['bytes=200000-'])
  assert.deepEqual(readFileSync(file), CONTENT)
})

test('a source without ranges is read from the start', async (context) => {
  const whole: Answer = (_request, response) => response.end(CONTENT)
  const hub = await startHub(context, whole)
  const file = join(temporaryFolder('download'), 'model.bin')
  writeFileSync(`${file}.part`, 'of something else')
  await download(hub.url, { file }).done
  assert.deepEqual(readFileSync(file), CONTENT)
})

test('a file with another hash is deleted, even if only its first part is wrong', async (context) => {
  const hub = await startHub(context, serve)
  const { file, part, done } = download(hub.url, { sha256: '0'.repeat(64) })
  await assert.rejects(done, {
    message: new RegExp(`has the SHA-256 ${SHA256} \\(expected 0{64}\\); the download was deleted$`),
  })
  assert.deepEqual([existsSync(file), existsSync(part)], [false, false])
  writeFileSync(part, Buffer.alloc(200_000))
  await assert.rejects(download(hub.url, { file }).done, /has the SHA-256 [0-9a-f]{64} \(expected/)
  assert.deepEqual([existsSync(file), existsSync(part)], [false, false])
})

test('redirects to another host are followed, with the range', async (context) => {
  const store = await startHub(context, serve)
  // Another origin.
  const elsewhere = store.url.replace('127.0.0.1', 'localhost')
  const hub = await startHub(context, answer(302, { location: elsewhere }))
  const file = join(temporaryFolder('download'), 'model.bin')
  writeFileSync(`${file}.part`, CONTENT.subarray(0, 7))
  await download(hub.url, { file }).done
  assert.deepEqual([hub.ranges, store.ranges], [['bytes=7-'], ['bytes=7-']])
  assert.deepEqual(readFileSync(file), CONTENT)
})

test('endless redirects, and redirects into the private network, are refused', async (context) => {
  const round = await startHub(context, (request, response) =>
    response.writeHead(302, { location: `${request.url}x` }).end(),
  )
  await assert.rejects(download(round.url).done, /redirects more than 5 times$/)
  assert.equal(round.ranges.length, 6)

  const inside = await startHub(context, serve)
  const hub = await startHub(context, answer(302, { location: inside.url }))
  // Only the port of the hub counts as public.
  const fetch = createLiveFetch({
    allowPrivateNetwork: false,
    isReachable: () => true,
    ports: new Set([new URL(hub.url).port]),
  })
  await assert.rejects(download(hub.url, { fetch }).done, BlockedTarget)
  assert.deepEqual(inside.ranges, [])
})

test('404 ends the download at once; 503 is repeated after Retry-After, and then given up', async (context) => {
  const gone = await startHub(context, answer(404))
  await assert.rejects(download(gone.url).done, /^PermanentError: 127\.0\.0\.1:\d+ answered 404 for http/)
  assert.equal(gone.ranges.length, 1)

  const busy = await startHub(context, answer(503, { 'retry-after': '7' }), serve)
  const { file, waits, done } = download(busy.url)
  await done
  assert.deepEqual([waits, readFileSync(file).length], [[7_000], CONTENT.length])

  const down = await startHub(context, answer(503))
  const never = download(down.url)
  await assert.rejects(never.done, /answered 503$/)
  // A wait after each of the first five failures, each twice the one before.
  assert.deepEqual(never.waits, [1_000, 2_000, 4_000, 8_000, 16_000])
})

test('another size, or another range than requested, is refused', async (context) => {
  const hub = await startHub(context, serve)
  const larger = download(hub.url, { sizeBytes: CONTENT.length + 1 })
  await assert.rejects(larger.done, /has 300000 bytes \(expected 300001\)$/)
  const other = await startHub(context, answer(206, { 'content-range': 'bytes 0-9/10' }))
  const file = join(temporaryFolder('download'), 'model.bin')
  writeFileSync(`${file}.part`, CONTENT.subarray(0, 5))
  await assert.rejects(
    download(other.url, { file }).done,
    /sent the range "bytes 0-9\/10" \(expected "bytes 5-299999\/300000"\)$/,
  )
})

test('an answer that sends more than the file is refused', async (context) => {
  const hub = await startHub(context, (_request, response) => {
    response.write(CONTENT)
    response.end('more')
  })
  await assert.rejects(download(hub.url).done, /more than 300000 bytes/)
})

test('without enough space on the disk, nothing is requested', async (context) => {
  const hub = await startHub(context, serve)
  const { done } = download(hub.url, { sizeBytes: 2 ** 52 })
  await assert.rejects(done, /is too full: free \d+ MB more$/)
  assert.deepEqual(hub.ranges, [])
})

test('a disk that fills up during the download is named as the reason', {
  skip: existsSync('/dev/full') ? false : 'this system has no /dev/full',
}, async (context) => {
  const hub = await startHub(context, serve)
  const file = join(temporaryFolder('download'), 'model.bin')
  symlinkSync('/dev/full', `${file}.part`)
  await assert.rejects(
    download(hub.url, { file }).done,
    /^PermanentError: the disk is full: 0 of 1 MB are in/,
  )
  assert.equal(hub.ranges.length, 1)
})

test('an aborted download keeps its part', async (context) => {
  const hub = await startHub(context, (_request, response) => {
    response.writeHead(200, { 'content-length': CONTENT.length })
    response.write(CONTENT.subarray(0, 100_000))
  })
  const stop = new AbortController()
  const { part, done } = download(hub.url, {
    signal: stop.signal,
    onProgress: () => stop.abort(new Error('enough')),
  })
  await assert.rejects(done, /^Error: enough$/)
  const received = readFileSync(part)
  assert.ok(received.length > 0)
  assert.deepEqual(received, CONTENT.subarray(0, received.length))
})
