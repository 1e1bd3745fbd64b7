import { createHash, randomUUID } from 'node:crypto'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Unreachable } from '@tollbook/flow/failure'
import { makeFolder } from '@tollbook/flow/make-folder'
import { syncPath } from '@tollbook/store/sync-path'
import { type EvidenceArchive, STRAY_AGE_MS } from './evidence-archive.ts'

/** A file has this extension until it is complete. */
const UNFINISHED = '.part'
const READ_BYTES = 65_536

/** Stores evidence as files of a folder, for one machine. A stored file is named by its content. */
export function openEvidenceFolder(folder: string): EvidenceArchive {
  return {
    async create(label) {
      makeFolder(folder)
      const unfinished = join(folder, `${label}-${randomUUID()}${UNFINISHED}`)
      const handle = await open(unfinished, 'wx')
      const hash = createHash('sha256')
      let bytes = 0
      return {
        async write(more) {
          hash.update(more)
          bytes += more.length
          // The promise-based write of a file handle may write fewer bytes than requested; this one writes all of them.
          await handle.appendFile(more)
        },
        async keep() {
          await handle.sync()
          await handle.close()
          const sha256 = hash.digest('hex')
          const file = `${label}-${sha256.slice(0, 16)}.ndjson.gz`
          await rename(unfinished, join(folder, file))
          await syncPath(folder)
          return { file, sha256, bytes }
        },
        async discard() {
          await handle.close()
          await rm(unfinished, { force: true })
        },
      }
    },
    async *read(file, { at, bytes }) {
      const handle = await openKept(join(folder, file))
      try {
        for (let read = 0; read < bytes; ) {
          const buffer = new Uint8Array(Math.min(READ_BYTES, bytes - read))
          const { bytesRead } = await handle.read(buffer, 0, buffer.length, at + read)
          if (bytesRead === 0) throw new Unreachable(`the evidence file ${file} is truncated`)
          yield buffer.subarray(0, bytesRead)
          read += bytesRead
        }
      } finally {
        await handle.close()
      }
    },
    async removeStrays(kept, now) {
      makeFolder(folder)
      for (const name of await readdir(folder)) {
        const isOurs = name.endsWith(UNFINISHED) || name.endsWith('.ndjson.gz')
        if (!isOurs || kept.has(name)) continue
        const path = join(folder, name)
        const { mtimeMs } = await stat(path)
        if (mtimeMs < now.getTime() - STRAY_AGE_MS) await rm(path, { force: true })
      }
    },
  }
}

async function openKept(path: string) {
  try {
    return await open(path, 'r')
  } catch (error) {
    throw new Unreachable('an evidence file is missing; restore it from a backup', {
      cause: error,
    })
  }
}
