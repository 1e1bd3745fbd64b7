import { createReadStream } from 'node:fs'
import { fingerprintFile } from '../fingerprint-file.ts'
import type { ImportSource } from '../import-source.ts'
import { isStateExport, readStateExport } from '../simulator/read-state-export.ts'
import { readXValue } from '../x/read-x-value.ts'
import { readJson } from './read-json.ts'

/** A page of the API has at most 500 tweets; a simulator's state with 50,000 tweets has about this size. */
const MAX_VALUE_BYTES = 64 * 1024 * 1024

/**
 * A JSON or JSONL file: pages of the X API v2, its objects, an array of either, or a simulator's state.
 * @throws Error of the file system if it cannot be read.
 */
export async function openJsonFile(path: string): Promise<ImportSource> {
  const { fingerprint, sizeBytes } = await fingerprintFile(path)
  return {
    name: path,
    fingerprint,
    sizeBytes,
    skippedTypes: [],
    async *read(from, onBytes) {
      const chunks = count(createReadStream(path), onBytes)
      const reading = { layout: 'values', maxBytes: MAX_VALUE_BYTES, skip: from?.items ?? 0 } as const
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

async function* count(
  chunks: AsyncIterable<Buffer>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onBytes(chunk.length)
    yield chunk
  }
}
