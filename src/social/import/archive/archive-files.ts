import { createReadStream } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { PermanentError } from '../../../fetching/failure.ts'

export type ArchiveFile = {
  /** As in the manifest, such as `data/tweets.js`. */
  readonly name: string
  /** Bytes read from the disk for it. */
  readonly storedBytes: number
  open(): Promise<Readable>
}

/** The files of a data archive, zipped or unpacked. */
export interface ArchiveFiles {
  readonly path: string
  find(name: string): Promise<ArchiveFile | null>
  close(): Promise<void>
}

/** Chosen: above one file for each picture of twenty years of posts. */
const MAX_ENTRIES = 1_000_000
/** Chosen: X splits its parts at a far smaller size. */
const MAX_DECODED_BYTES = 4 * 1024 ** 3
/** Decoded bytes per stored byte; posts as JSON shrink to a tenth, and the limit of DEFLATE is 1,032. */
const MAX_RATIO = 200
/** Small files of one repeated word may have a higher ratio. */
const RATIO_FROM_BYTES = 1024 * 1024
/** The data folder; a repacked archive may have one folder around it. */
const DATA_FILE = /^(?:[^/]+\/)?(data\/[^/]+\.js)$/

/** A local header without its name and extra fields (APPNOTE.TXT 4.3.7). */
const LOCAL_HEADER_BYTES = 30

/** The scripts of an unpacked archive; symbolic links are excluded, since they can point outside the folder. */
export function openFolderFiles(path: string): ArchiveFiles {
  return {
    path,
    async find(name) {
      const file = join(path, 'data', basename(name))
      const found = await lstat(file).catch(() => null)
      if (!found?.isFile()) return null
      return { name, storedBytes: found.size, open: async () => createReadStream(file) }
    },
    close: async () => {},
  }
}

/**
 * The scripts of a zipped archive. Only the directory is read until a file is opened, and reading stops if a
 * file exceeds its size limits.
 * @throws PermanentError if it is not a zip file, or not a plausible archive.
 */
export async function openZipFiles(path: string): Promise<ArchiveFiles> {
  const zip = await openPromise(path, { autoClose: false, strictFileNames: true }).catch((error: unknown) => {
    throw toPermanentError(error)
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
    throw toPermanentError(error)
  }
}

async function readDirectory(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > MAX_ENTRIES)
    throw new PermanentError(`the zip file has ${zip.entryCount} entries (limit ${MAX_ENTRIES})`)
  const entries = new Map<string, Entry>()
  let count = 0
  for await (const entry of zip.eachEntry()) {
    count += 1
    if (count > MAX_ENTRIES)
      throw new PermanentError(`the zip file has too many entries (limit ${MAX_ENTRIES})`)
    const [, name] = DATA_FILE.exec(entry.fileName) ?? []
    if (name === undefined) continue
    if (entries.has(name)) throw new PermanentError(`the zip file contains ${name} twice`)
    entries.set(name, entry)
  }
  refuseOverlaps(entries)
  return entries
}

/**
 * Overlapping files would let an archive unpack to far more than MAX_RATIO times its size, as in
 * https://www.bamsoftware.com/hacks/zipbomb/.
 */
function refuseOverlaps(entries: ReadonlyMap<string, Entry>): void {
  const inOrder = [...entries].sort(
    ([, one], [, other]) => one.relativeOffsetOfLocalHeader - other.relativeOffsetOfLocalHeader,
  )
  let end = 0
  for (const [name, { relativeOffsetOfLocalHeader: start, fileNameLength, compressedSize }] of inOrder) {
    if (start < end) throw new PermanentError(`the bytes of ${name} overlap another file in the zip file`)
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
        throw toPermanentError(error)
      })
      const bounded = boundedBy(name, entry.compressedSize)
      // Only `bounded` is read, so errors of the source are forwarded to it.
      stream.on('error', (error) => bounded.destroy(toPermanentError(error)))
      bounded.on('close', () => stream.destroy())
      return stream.pipe(bounded)
    },
  }
}

/** Counts the decoded bytes, since the sizes in the directory may be wrong. */
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

function toPermanentError(error: unknown): Error {
  if (error instanceof PermanentError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new PermanentError(`not a readable zip file: ${reason}`, { cause: error })
}
