import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { PermanentError } from '@tollbook/flow/failure'
import { fingerprintFile } from './fingerprint-file.ts'
import type { ImportSource } from './import-source.ts'
import { readJson } from './json/read-json.ts'
import { isStateExport, readStateExport } from './simulator/read-state-export.ts'
import { readXValue } from './x/read-x-value.ts'

/** A page of the API has at most 500 tweets; a simulator's state with 50,000 tweets has about this size. */
const MAX_VALUE_BYTES = 64 * 1024 * 1024

const ENDINGS = new Set(['.json', '.jsonl', '.ndjson'])

/** Opens the sources one by one, so that only one file of a folder is open at a time. */
export type SourcePlace = { readonly path: string; open(): Promise<ImportSource> }

/**
 * The sources at a path: a single file, or the JSON and JSONL files of a folder and its subfolders, sorted by
 * name.
 * @throws PermanentError if there is nothing to import.
 */
export async function findSources(place: string): Promise<SourcePlace[]> {
  if (!(await isFolder(place))) return [toPlace(place)]
  const entries = await readdir(place, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && ENDINGS.has(extname(entry.name).toLowerCase()))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  if (paths.length === 0) throw new PermanentError(`${place} contains no JSON or JSONL files`)
  return paths.map(toPlace)
}

function toPlace(path: string): SourcePlace {
  return { path, open: () => openJsonFile(path) }
}

async function isFolder(place: string): Promise<boolean> {
  try {
    return (await stat(place)).isDirectory()
  } catch (error) {
    throw new PermanentError(`${place} is not a readable file or folder`, { cause: error })
  }
}

/**
 * A JSON or JSONL file: pages of the X API v2, its objects, an array of either, or a simulator's state.
 * @throws PermanentError for a zip file, Error of the file system if it cannot be read.
 */
async function openJsonFile(path: string): Promise<ImportSource> {
  if (extname(path).toLowerCase() === '.zip')
    throw new PermanentError(
      `${path} is a zip file, such as the data archive of an X account: only JSON and JSONL are imported`,
    )
  const { fingerprint, sizeBytes } = await fingerprintFile(path)
  return {
    name: path,
    fingerprint,
    sizeBytes,
    async *read(skip, onBytes) {
      const reading = { maxBytes: MAX_VALUE_BYTES, skip, onBytes }
      for await (const { value, line, number } of readJson(createReadStream(path), reading))
        yield {
          number,
          line,
          readInto: (objects) =>
            isStateExport(value) ? readStateExport(value, objects) : readXValue(value, objects),
        }
    },
  }
}
