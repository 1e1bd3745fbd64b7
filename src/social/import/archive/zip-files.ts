import { Transform } from 'node:stream'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { PermanentError } from '../../../fetching/failure.ts'
import type { ArchiveFile, ArchiveFiles } from './archive-files.ts'

/** Chosen: a file for each picture of twenty years of posts stays below it. */
const MAX_ENTRIES = 1_000_000
/** Chosen: X cuts its parts far below it. */
const MAX_DECODED_BYTES = 4 * 1024 ** 3
/** Decoded bytes for each stored one; posts as JSON shrink to a tenth, and DEFLATE cannot go beyond 1,032. */
const MAX_RATIO = 200
/** Small files of one repeated word may shrink further. */
const RATIO_FROM_BYTES = 1024 * 1024
/** Where the data stand; an archive that was packed again may have one folder around them. */
const DATA_FILE = /^(?:[^/]+\/)?(data\/[^/]+\.js)$/

/**
 * The scripts of a zipped archive. Nothing but the directory is read until a file is opened, and a file that grows
 * beyond what its kind can be is given up.
 * @throws PermanentError when it is no zip file, or one that no archive would be.
 */
export async function openZipFiles(path: string): Promise<ArchiveFiles> {
  const zip = await openPromise(path, { autoClose: false, strictFileNames: true }).catch((error: unknown) => {
    throw refusal(error)
  })
  try {
    const entries = await readDirectory(zip)
    return {
      path,
      find: async (name) => {
        const entry = entries.get(name)
        return entry ? toFile(zip, name, entry) : null
      },
      close: async () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw refusal(error)
  }
}

async function readDirectory(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > MAX_ENTRIES)
    throw new PermanentError(`the zip file has ${zip.entryCount} entries, more than ${MAX_ENTRIES}`)
  const entries = new Map<string, Entry>()
  let count = 0
  for await (const entry of zip.eachEntry()) {
    count += 1
    if (count > MAX_ENTRIES) throw new PermanentError(`the zip file has more than ${MAX_ENTRIES} entries`)
    const [, name] = DATA_FILE.exec(entry.fileName) ?? []
    if (name === undefined) continue
    if (entries.has(name)) throw new PermanentError(`the zip file has ${name} twice`)
    entries.set(name, entry)
  }
  refuseOverlaps(entries)
  return entries
}

/** A local header without its name and its extra fields (APPNOTE.TXT 4.3.7). */
const LOCAL_HEADER_BYTES = 30

/**
 * Files that share their bytes would let an archive unpack to far more than MAX_RATIO times its size, as in
 * https://www.bamsoftware.com/hacks/zipbomb/.
 */
function refuseOverlaps(entries: ReadonlyMap<string, Entry>): void {
  const inOrder = [...entries].sort(
    ([, one], [, other]) => one.relativeOffsetOfLocalHeader - other.relativeOffsetOfLocalHeader,
  )
  let end = 0
  for (const [name, { relativeOffsetOfLocalHeader: start, fileNameLength, compressedSize }] of inOrder) {
    if (start < end) throw new PermanentError(`the zip file has the bytes of ${name} twice`)
    end = start + LOCAL_HEADER_BYTES + fileNameLength + compressedSize
  }
}

function toFile(zip: ZipFile, name: string, entry: Entry): ArchiveFile {
  return {
    name,
    storedBytes: entry.compressedSize,
    async open() {
      if (entry.isEncrypted()) throw new PermanentError(`${name} is encrypted`)
      const stream = await zip.openReadStreamPromise(entry).catch((error: unknown) => {
        throw refusal(error)
      })
      const bounded = boundedBy(name, entry.compressedSize)
      // What breaks the one is told by the other, which is read.
      stream.on('error', (error) => bounded.destroy(refusal(error)))
      bounded.on('close', () => stream.destroy())
      return stream.pipe(bounded)
    },
  }
}

/** Counts what comes out, since a directory may lie about it. */
function boundedBy(name: string, storedBytes: number): Transform {
  let decoded = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      decoded += chunk.length
      if (decoded > MAX_DECODED_BYTES) done(new PermanentError(`${name} is larger than 4 GiB when unpacked`))
      else if (decoded > RATIO_FROM_BYTES && decoded > MAX_RATIO * storedBytes)
        done(new PermanentError(`${name} grows more than ${MAX_RATIO} times when unpacked`))
      else done(null, chunk)
    },
  })
}

function refusal(error: unknown): Error {
  if (error instanceof PermanentError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new PermanentError(`not a zip file that can be read: ${reason}`, { cause: error })
}
