import { isUtf8 } from 'node:buffer'
import { PermanentError } from '@tollbook/flow/failure'
import { JsonSplitter, type UnparsedValue } from './json-splitter.ts'

/** One value of a file; `line` is where it begins, `number` its index among all values, from 1. */
export type JsonValue = { readonly value: unknown; readonly line: number; readonly number: number }

type Reading = {
  /** Longer values are rejected, since a value is held in memory. */
  readonly maxBytes: number
  /** Values to skip, since they were already imported. */
  readonly skip: number
  /** Called with the size of each chunk before it is parsed. */
  readonly onBytes?: ((bytes: number) => void) | undefined
}

/**
 * The values of a stream, with the memory of one value.
 * @throws PermanentError that names the line where the stream is not valid JSON.
 */
export async function* readJson(
  chunks: AsyncIterable<Buffer>,
  { maxBytes, skip, onBytes }: Reading,
): AsyncGenerator<JsonValue> {
  const splitter = new JsonSplitter(maxBytes)
  let number = 0
  let isFirst = true
  for await (const chunk of chunks) {
    onBytes?.(chunk.length)
    for (const text of splitter.push(isFirst ? withoutMark(chunk) : chunk)) {
      number += 1
      if (number > skip) yield { ...parse(text), number }
    }
    isFirst = false
  }
  for (const text of splitter.end()) {
    number += 1
    if (number > skip) yield { ...parse(text), number }
  }
}

/** Some editors write a byte order mark. */
function withoutMark(chunk: Buffer): Buffer {
  return chunk.subarray(0, 3).equals(Buffer.from('\ufeff')) ? chunk.subarray(3) : chunk
}

function parse({ bytes, line }: UnparsedValue) {
  if (!isUtf8(bytes)) throw new PermanentError(`line ${line}: not UTF-8`)
  const text = bytes.toString()
  try {
    return { value: JSON.parse(text) as unknown, line }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new PermanentError(`line ${lineOf(reason, text, line)}: invalid JSON`, { cause: error })
  }
}

/** V8 reports the position, counted from the beginning of the value. */
function lineOf(reason: string, text: string, line: number): number {
  const position = /at position (\d+)/.exec(reason)?.[1]
  return position === undefined ? line : line + text.slice(0, Number(position)).split('\n').length - 1
}
