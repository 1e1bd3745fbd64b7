import { extname } from 'node:path'
import type { UploadedFile } from '../endpoint.ts'
import { findFormFault } from './form-fault.ts'

/** A file of a form; `value` is what the schema validates. */
type FormFile = UploadedFile & { readonly field: string; readonly value: File }

/** A multipart body. */
export type FormBody = {
  readonly texts: readonly (readonly [field: string, text: string])[]
  readonly files: readonly FormFile[]
}

const UNKNOWN = 'application/octet-stream'
/** Types of texts, whose first bytes do not show them, by extension. */
const TYPES: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.markdown': 'text/markdown',
  '.txt': 'text/plain',
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.htm': 'text/html',
  '.html': 'text/html',
}

/** Parses a multipart body; the fault does not repeat it. */
export async function readFormBody(
  bytes: Uint8Array,
  contentType: string,
  maxParts: number,
): Promise<FormBody | { readonly fault: string }> {
  const fault = findFormFault(bytes, contentType, maxParts)
  if (fault !== null) return { fault }
  let form: FormData
  try {
    // It copies what it is given.
    form = await new Response(bytes as Uint8Array<ArrayBuffer>, {
      headers: { 'content-type': contentType },
    }).formData()
  } catch {
    return { fault: 'is not valid multipart/form-data' }
  }
  const texts: [string, string][] = []
  const files: FormFile[] = []
  for (const [field, value] of form)
    if (typeof value === 'string') texts.push([field, value])
    else files.push({ field, contentType: typeOf(value), bytes: await value.bytes(), value })
  return { texts, files }
}

/** The type of its part, else of its name. */
function typeOf({ type, name }: File): string {
  if (type !== '' && type !== UNKNOWN) return type
  return TYPES[extname(name).toLowerCase()] ?? UNKNOWN
}
