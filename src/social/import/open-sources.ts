import { createReadStream } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { PermanentError } from '../../fetching/failure.ts'
import { openArchiveFolder, openArchiveZip } from './archive/open-archive.ts'
import { fingerprintFile } from './fingerprint-file.ts'
import type { ImportSource } from './import-source.ts'
import { readJson } from './json/read-json.ts'
import { isStateExport, readStateExport } from './simulator/read-state-export.ts'
import { readXValue } from './x/read-x-value.ts'

/** A page of the API has at most 500 tweets; a simulator's state with 50,000 tweets has about this size. */
const MAX_VALUE_BYTES = 64 * 1024 * 1024

const ENDINGS = new Set(['.json', '.jsonl', '.ndjson', '.zip'])

/** Opens the sources one by one, so that only one file of a folder is open at a time. */
export type SourcePlace = { readonly path: string; open(): Promise<ImportSource> }

/**
 * The sources at a path: a single file, an unpacked data archive, or the JSON, JSONL and zip files of a
 * folder and its subfolders, sorted by name.
 * @throws PermanentError if there is nothing to import.
 */
export async function findSources(place: string): Promise<SourcePlace[]> {
  if (!(await isFolder(place))) return [{ path: place, open: () => openFile(place) }]
  if (await exists(join(place, 'data', 'manifest.js')))
    return [{ path: place, open: () => openArchiveFolder(place) }]
  const entries = await readdir(place, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && ENDINGS.has(extname(entry.name).toLowerCase()))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  if (paths.length === 0) throw new PermanentError(`${place} contains no JSON, JSONL or zip files`)
  return paths.map((path) => ({ path, open: () => openFile(path) }))
}

/** The first bytes of a zip file: a local header, or the end of an empty one (APPNOTE.TXT 4.3.7, 4.3.16). */
const ZIP_STARTS = ['PK\x03\x04', 'PK\x05\x06']

async function openFile(path: string): Promise<ImportSource> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    const start = buffer.toString('latin1', 0, bytesRead)
    return ZIP_STARTS.includes(start) ? await openArchiveZip(path) : await openJsonFile(path)
  } finally {
    await file.close()
  }
}

async function isFolder(place: string): Promise<boolean> {
  try {
    return (await stat(place)).isDirectory()
  } catch (error) {
    throw new PermanentError(`${place} is not a readable file or folder`, { cause: error })
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

/**
 * A JSON or JSONL file: pages of the X API v2, its objects, an array of either, or a simulator's state.
 * @throws Error of the file system if it cannot be read.
 */
async function openJsonFile(path: string): Promise<ImportSource> {
  const { fingerprint, sizeBytes } = await fingerprintFile(path)
  return {
    name: path,
    fingerprint,
    sizeBytes,
    skippedTypes: [],
    async *read(from, onBytes) {
      const chunks = createReadStream(path)
      const skip = from?.items ?? 0
      const reading = { layout: 'values', maxBytes: MAX_VALUE_BYTES, skip, onBytes } as const
      for await (const { value, line, number } of readJson(chunks, reading))
        yield {
          place: { part: '', items: number },
          line,
          readInto: (objects) =>
            isStateExport(value) ? readStateExport(value, objects) : readXValue(value, objects),
        }
    },
    close: async () => {},
  }
}
