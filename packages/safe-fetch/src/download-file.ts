import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isDiskFull } from '@tollbook/flow/disk-full'
import { PermanentError, RetryableError } from '@tollbook/flow/failure'
import { makeFolder } from '@tollbook/flow/make-folder'
import { readRetryAfterMs } from '@tollbook/flow/retry-after'
import type { LiveAnswer, LiveFetch } from './live-fetch.ts'

export type FileSource = {
  readonly url: string
  readonly sizeBytes: number
  /** Hexadecimal, in lower case. */
  readonly sha256: string
}

export type DownloadOptions = {
  readonly fetch: LiveFetch
  /** Path of the file; until it is verified it is at the path of `partOf`. */
  readonly file: string
  readonly signal: AbortSignal
  readonly onProgress?: (doneBytes: number) => void
  /** Waits before another attempt; default a timer. */
  readonly rest?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Answers that another attempt may change. */
const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504])
/** Attempts in a row that add no byte. */
const MAX_FAILURES = 5
const MIN_REST_MS = 1_000
const MAX_REST_MS = 60_000
const HEADERS_MS = 30_000
const IDLE_MS = 30_000
/** Of one attempt; a gigabyte at 100 kbit/s. */
const ATTEMPT_MS = 24 * 60 * 60_000
/** Chosen: the disk keeps this much for everything else, such as the databases. */
const SPARE_BYTES = 64 * 1024 * 1024

/** Where the received bytes of an unfinished download are. */
export function partOf(file: string): string {
  return `${file}.part`
}

/** Size of a file in bytes; 0 if there is none. */
export async function sizeOf(path: string): Promise<number> {
  return await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

/**
 * Downloads a file, or continues an interrupted download. The file exists only once all of its bytes are on
 * disk and have the expected hash. An existing file with that content is kept.
 * @throws PermanentError if the disk is full, the source refuses, or has another file; RetryableError after
 * repeated failures; the signal's reason. The part is kept, unless its content is wrong.
 */
export async function downloadFile(source: FileSource, options: DownloadOptions): Promise<void> {
  const { file, signal } = options
  if ((await sizeOf(file)) === source.sizeBytes && (await hashFile(file, signal)) === source.sha256) return
  makeFolder(dirname(file))
  const part = partOf(file)
  await checkSpace(source.sizeBytes - (await sizeOf(part)), dirname(file))
  await fillPart(source, part, options)
  const hash = await hashFile(part, signal)
  if (hash !== source.sha256) {
    await rm(part)
    throw new PermanentError(
      `${source.url} has the SHA-256 ${hash} (expected ${source.sha256}); the download was deleted`,
    )
  }
  await rename(part, file)
  await syncPath(dirname(file))
}

async function checkSpace(neededBytes: number, folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const missing = neededBytes + SPARE_BYTES - bavail * bsize
  if (neededBytes > 0 && missing > 0)
    throw new PermanentError(`the disk of ${folder} is too full: free ${toMegabytes(missing)} MB more`)
}

/** Repeats requests until the part has its full size. */
async function fillPart(source: FileSource, part: string, options: DownloadOptions): Promise<void> {
  const { signal, rest = (ms) => wait(ms, undefined, { signal }) } = options
  let [failures, best] = [0, await sizeOf(part)]
  for (;;) {
    const size = await sizeOf(part)
    if (size === source.sizeBytes) return
    try {
      // A longer part is from another source.
      await readRest(source, { ...options, part, size: size < source.sizeBytes ? size : 0 })
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof RetryableError)) throw error
      const reached = await sizeOf(part)
      failures = reached > best ? 1 : failures + 1
      best = Math.max(best, reached)
      if (failures > MAX_FAILURES) throw error
      const retryAfterMs = error instanceof Busy ? error.waitMs : 0
      await rest(Math.min(MAX_REST_MS, Math.max(retryAfterMs, MIN_REST_MS * 2 ** (failures - 1))), signal)
    }
  }
}

/** The source refuses for the moment. */
class Busy extends RetryableError {
  override readonly name = 'Busy'
  readonly waitMs: number
  constructor(message: string, waitMs: number) {
    super(message)
    this.waitMs = waitMs
  }
}

type Part = DownloadOptions & { readonly part: string; readonly size: number }

/** Requests what the part lacks, and appends it. */
async function readRest(source: FileSource, options: Part): Promise<void> {
  const { part, size, onProgress = () => {} } = options
  const answer = await follow(source, options)
  let done: number
  try {
    done = await findStart(answer, source, options)
  } catch (error) {
    answer.close()
    throw error
  }
  const handle = await open(part, done === 0 ? 'w' : 'a')
  try {
    for await (const piece of answer.pieces) {
      await handle.writeFile(piece)
      done += piece.byteLength
      onProgress(done)
    }
    await handle.sync()
  } catch (error) {
    if (!isDiskFull(error)) throw error
    throw new PermanentError(
      `the disk is full: ${toMegabytes(await sizeOf(part))} of ${toMegabytes(source.sizeBytes)} MB are in ${part}`,
      { cause: error },
    )
  } finally {
    await handle.close()
  }
  if (done < source.sizeBytes)
    throw new RetryableError(`the answer ended ${source.sizeBytes - done} bytes early, after ${done - size}`)
}

/** Requests the rest of the file, and follows redirects; each host gets the range. */
async function follow(source: FileSource, { fetch, size, signal }: Part): Promise<LiveAnswer> {
  const headers = size > 0 ? { range: `bytes=${size}-` } : {}
  let { url } = source
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer = await fetch(url, {
      headers,
      maxBytes: source.sizeBytes,
      timeoutMs: ATTEMPT_MS,
      headersMs: HEADERS_MS,
      idleMs: IDLE_MS,
      signal,
    })
    if (!REDIRECTS.has(answer.status)) return answer
    answer.close()
    const next = URL.parse(answer.headers.location ?? '', url)
    if (!next) throw new PermanentError(`${hostOf(url)} redirects to no URL`)
    url = next.href
  }
  throw new PermanentError(`${hostOf(source.url)} redirects more than ${MAX_REDIRECTS} times`)
}

/** @returns the position in the file of the first byte of this answer. */
async function findStart(answer: LiveAnswer, source: FileSource, { part, size }: Part): Promise<number> {
  const { status, headers } = answer
  const host = hostOf(source.url)
  if (TRANSIENT.has(status)) throw new Busy(`${host} answered ${status}`, readRetryAfterMs(headers))
  if (status === 416 && size > 0) {
    await rm(part)
    throw new RetryableError(`${host} has no bytes from ${size} on`)
  }
  if (status === 206 && size > 0) {
    const range = headers['content-range'] ?? ''
    const expected = `bytes ${size}-${source.sizeBytes - 1}/${source.sizeBytes}`
    if (range === expected) return size
    throw new PermanentError(`${host} sent the range "${range}" (expected "${expected}")`)
  }
  if (status !== 200) throw new PermanentError(`${host} answered ${status} for ${source.url}`)
  const length = headers['content-length']
  if (length !== undefined && Number(length) !== source.sizeBytes)
    throw new PermanentError(`${source.url} has ${length} bytes (expected ${source.sizeBytes})`)
  // It ignored the range: the part is written anew.
  return 0
}

async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path, { signal, highWaterMark: 1 << 20 })) hash.update(piece)
  return hash.digest('hex')
}

/** Makes a rename durable; not every system can. */
async function syncPath(path: string): Promise<void> {
  const handle = await open(path).catch(() => null)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}

function toMegabytes(bytes: number): number {
  return Math.ceil(bytes / 1e6)
}
