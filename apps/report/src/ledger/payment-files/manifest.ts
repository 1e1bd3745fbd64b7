import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { PermanentError } from '@tollbook/flow/failure'
import * as z from 'zod'

const hash = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)])

const manifestSchema = z.object({
  format: z.literal('tollbook-payments'),
  version: z.literal(1),
  /** Hash of the chain's genesis block. */
  chain: hash,
  first_block: z.int().min(0),
  /** The first block after those exported. */
  end_block: z.int().min(1),
  /** Hash of the last exported block; identifies the chain that it was part of. */
  last_block_hash: hash,
  payments: z.int().min(0),
  /** Of the file. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

/** The manifest next to a file of payments, with the blocks that were read for it. */
export type Manifest = z.infer<typeof manifestSchema>

export function manifestPathOf(file: string): string {
  return `${file}.json`
}

/** Reads a file's manifest. @throws PermanentError when there is none, or the file does not match it. */
export async function readManifest(file: string): Promise<Manifest> {
  const path = manifestPathOf(file)
  let manifest: Manifest
  try {
    manifest = manifestSchema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    throw new PermanentError(`${path} is missing or not a manifest; an export writes it next to its file`, {
      cause: error,
    })
  }
  if ((await digestOf(file)) !== manifest.sha256)
    throw new PermanentError(`${file} was changed after its export: its SHA-256 differs from ${path}`)
  return manifest
}

export async function digestOf(file: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const piece of createReadStream(file)) digest.update(piece as Buffer)
  return digest.digest('hex')
}
