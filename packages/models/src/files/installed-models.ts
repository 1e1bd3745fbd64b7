import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ConfigError } from '@tollbook/flow/config-error'
import { makeFolder } from '@tollbook/flow/make-folder'
import * as z from 'zod'
import { type TierFile, tierFile } from '../tiers/tier-file.ts'
import { ALL_TIERS, MESSAGES_TIER } from '../tiers/tier-table.ts'

const fileName = z.string().regex(/^[\w.-]+$/)
const model = z.strictObject({
  name: z.string().min(1),
  kind: z.enum(['chat', 'embeddings', 'transcription', 'translation']),
  file: fileName,
  /** Of a translation model: its shortlist and vocabulary. */
  others: z.array(fileName).default([]),
})
const record = z.strictObject({ models: z.array(model) })

export type InstalledModel = z.output<typeof model>
export type ModelKind = InstalledModel['kind']

/** What an operator sets of models, by the names of the settings. */
export type ModelSettings = {
  readonly TOLLBOOK_DATA_DIR: string
  readonly TOLLBOOK_MODELS_FILE?: string | undefined
  readonly TOLLBOOK_EXTRACTION_TIER?: string | undefined
}

/** Chosen: a long page, and a few hundred MB of memory with the models of the catalogue. */
const CONTEXT_TOKENS = 8192

export function modelsFolderOf(config: ModelSettings): string {
  return join(config.TOLLBOOK_DATA_DIR, 'models')
}

const recordOf = (config: ModelSettings) => join(modelsFolderOf(config), 'installed.json')

/** The installed models, in order of addition. @throws ConfigError if the record is invalid */
export async function readInstalledModels(config: ModelSettings): Promise<readonly InstalledModel[]> {
  const path = recordOf(config)
  try {
    return record.parse(JSON.parse(await readFile(path, 'utf8'))).models
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw new ConfigError([`${path} is invalid; delete it, and add its models again`])
  }
}

/** Replaces the record as a whole, durably. */
export async function writeInstalledModels(
  config: ModelSettings,
  models: readonly InstalledModel[],
): Promise<void> {
  const path = recordOf(config)
  makeFolder(modelsFolderOf(config))
  await writeFile(`${path}.new`, `${JSON.stringify({ models }, null, 2)}\n`, { flush: true })
  await rename(`${path}.new`, path)
}

/** The file of the model of this kind that was added last; null if none is installed. */
export async function findInstalledFile(config: ModelSettings, kind: ModelKind): Promise<string | null> {
  const files = (await readInstalledModels(config))
    .filter((one) => one.kind === kind)
    .map(({ file }) => resolve(modelsFolderOf(config), file))
  // A file that someone deleted is as if it had never been installed.
  return files.findLast((file) => existsSync(file)) ?? null
}

/** The tiers that a model file serves if no other upstream is configured: all of them, and messages. */
export function tiersOfFile(file: string): TierFile['tiers'] {
  const upstreams = [{ dialect: 'gguf' as const, file, context_tokens: CONTEXT_TOKENS }]
  const names = [...ALL_TIERS.map(({ name }) => name), MESSAGES_TIER]
  return tierFile.parse({ tiers: Object.fromEntries(names.map((name) => [name, { upstreams }])) }).tiers
}

/** The model of /v1/embeddings if only a model file is installed. */
export function embeddingsOfFile(file: string): NonNullable<TierFile['embeddings']> {
  const { embeddings } = tierFile.parse({ embeddings: { upstreams: [{ dialect: 'gguf', file }] } })
  if (!embeddings) throw new Error('unreachable: the file has embeddings')
  return embeddings
}
