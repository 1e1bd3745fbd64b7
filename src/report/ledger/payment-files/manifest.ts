import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { PermanentError } from '../../../fetching/failure.ts'

const hash = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)])

const manifestSchema = z.object({
  format: z.literal('tollbook-payments'),
  version: z.literal(1),
  /** Hash of the chain's genesis block. */
  chain: hash,
  first_block: z.int().min(0),
  /** The first block after those exported. */
  end_block: z.int().min(1),
  /** Hash of the last block exported, by which the chain is recognised that it stood on. */
  last_block_hash: hash,
  payments: z.int().min(0),
  /** Of the file. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

/** What stands beside a file of payments: which blocks were read for it, since a block may hold no payment. */
export type Manifest = z.infer<typeof manifestSchema>

/** Where the manifest of a file stands. */
export function manifestPathOf(file: string): string {
  return `${file}.json`
}

/**
 * Reads the manifest of a file, and compares the file with it.
 * @throws PermanentError when there is none, or the file is not the one that it describes.
 */
export async function readManifest(file: string): Promise<Manifest> {
  const path = manifestPathOf(file)
  let manifest: Manifest
  try {
    manifest = manifestSchema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    throw new PermanentError(`${path} is missing or no manifest; an export writes it beside its file`, {
      cause: error,
    })
  }
  if ((await digestOf(file)) !== manifest.sha256)
    throw new PermanentError(`${file} is not as it was exported: its SHA-256 differs from ${path}`)
  return manifest
}

/** SHA-256 of a file, hex. */
export async function digestOf(file: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const piece of createReadStream(file)) digest.update(piece as Buffer)
  return digest.digest('hex')
}
