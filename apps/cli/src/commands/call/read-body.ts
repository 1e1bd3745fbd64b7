import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { UsageError } from '@tollbook/flow/usage-error'

/** An encoded request body, identical for every retry. */
export type RequestBody = { readonly contentType: string; readonly bytes: Uint8Array<ArrayBuffer> }

/** The types that curl's `--form` guesses, plus audio; for others application/octet-stream. */
const TYPES: Readonly<Record<string, string>> = {
  gif: 'image/gif',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  txt: 'text/plain',
  html: 'text/html',
  pdf: 'application/pdf',
  xml: 'application/xml',
}
const ANY_BYTES = 'application/octet-stream'

/** The body in curl's syntax; undefined without either. @throws UsageError */
export async function readBody(
  data: string | undefined,
  form: readonly string[],
): Promise<RequestBody | undefined> {
  if (data !== undefined && form.length > 0) throw new UsageError('--data and --form exclude each other')
  if (form.length > 0) return await encodeForm(form)
  if (data === undefined) return undefined
  return { contentType: 'application/json', bytes: await readData(data) }
}

async function readData(data: string): Promise<Uint8Array<ArrayBuffer>> {
  if (data === '@-') return new TextEncoder().encode(await readAll(process.stdin))
  return data.startsWith('@') ? await readBytes(data.slice(1)) : new TextEncoder().encode(data)
}

async function encodeForm(parts: readonly string[]): Promise<RequestBody> {
  const form = new FormData()
  for (const part of parts) {
    const [, name = '', value = ''] = /^([^=]+)=([\s\S]*)$/.exec(part) ?? []
    if (name === '') throw new UsageError(`not a part of a form: ${part} (expected name=value or name=@file)`)
    if (value.startsWith('@')) form.append(name, await readFilePart(value.slice(1)))
    else if (value.startsWith('<'))
      form.append(name, new TextDecoder().decode(await readBytes(value.slice(1))))
    else form.append(name, value)
  }
  // Encoded once, with one boundary: a retry sends the same bytes.
  const encoded = new Response(form)
  return {
    contentType: encoded.headers.get('content-type') ?? '',
    bytes: new Uint8Array(await encoded.arrayBuffer()),
  }
}

/** A file with optional attributes after its path: `;type=audio/wav` and `;filename=take-1.wav`. */
async function readFilePart(text: string): Promise<File> {
  const [path = '', ...others] = text.split(/;(?=type=|filename=)/)
  const options = new Map(others.map((option) => option.split(/=(.*)/s, 2) as [string, string]))
  const name = options.get('filename') ?? basename(path)
  const type = options.get('type') ?? TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? ANY_BYTES
  return new File([await readBytes(path)], name, { type })
}

async function readBytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(path))
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException
    throw new UsageError(`${path} cannot be read (${code})`, { cause: error })
  }
}
