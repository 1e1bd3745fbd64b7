import { createReadStream } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { ArchiveFiles } from './archive-files.ts'

/**
 * The scripts of an unpacked archive; symbolic links are excluded, since they can point outside the folder.
 */
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
