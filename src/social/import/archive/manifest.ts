import * as z from 'zod'
import { PermanentError } from '../../../fetching/failure.ts'
import { parseJson } from '../../../fetching/parse-json.ts'
import { socialId } from '../../model.ts'
import type { ArchiveFile } from './archive-files.ts'

const manifest = z.object({
  userInfo: z.object({ accountId: socialId, userName: z.string(), displayName: z.string() }),
  archiveInfo: z.object({ isPartialArchive: z.boolean().optional() }).optional(),
  dataTypes: z.record(
    z.string(),
    z.looseObject({ files: z.array(z.object({ fileName: z.string() })).optional() }),
  ),
})

/** The contents of a data archive according to its manifest. */
export type Manifest = z.output<typeof manifest>

/** Far more than any real archive needs: the manifest names each data type once. */
const MAX_BYTES = 4 * 1024 * 1024
const ASSIGNMENT = /^\s*window\.__THAR_CONFIG\s*=\s*/

/** Parses `data/manifest.js`: a JSON assignment, which is never executed. @throws PermanentError if it is invalid. */
export async function readManifest(file: ArchiveFile): Promise<Manifest> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of await file.open()) {
    // No encoding is set, so chunks are bytes.
    const bytes = chunk as Buffer
    size += bytes.length
    if (size > MAX_BYTES) throw new PermanentError(`${file.name} has more than ${MAX_BYTES} bytes`)
    chunks.push(bytes)
  }
  const script = Buffer.concat(chunks).toString()
  const [assignment] = ASSIGNMENT.exec(script) ?? []
  if (assignment === undefined)
    throw new PermanentError(`${file.name} does not begin with window.__THAR_CONFIG =`)
  const read = manifest.safeParse(parseJson(script.slice(assignment.length).replace(/;\s*$/, '')))
  if (read.success) return read.data
  const [first] = read.error.issues
  throw new PermanentError(`${file.name}: ${first?.path.join('.')}: ${first?.message}`, { cause: read.error })
}
