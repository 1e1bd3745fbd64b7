import { existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PermanentError } from '@tollbook/flow/failure'
import { UsageError } from '@tollbook/flow/usage-error'
import {
  findInstalledFile,
  modelsFolderOf,
  readInstalledModels,
  writeInstalledModels,
} from '@tollbook/models/files/installed-models'
import { deleteLocked, lockFile } from '@tollbook/models/files/model-locks'
import type { Config } from '@tollbook/runtime/config'
import { runOnce } from '@tollbook/runtime/process/shutdown'
import { partOf, sizeOf } from '@tollbook/safe-fetch/download-file'
import type { Command } from './command.ts'
import { addModel, lockFolder } from './models/add-model.ts'
import { findOverride } from './models/find-override.ts'
import {
  CATALOGUE,
  type CatalogueModel,
  fileNameOf,
  sizeOfModel,
  toMegabytes,
} from './models/model-catalogue.ts'

export const models: Command = {
  name: 'models',
  usage: 'list | add <name> | remove <name> [options]',
  examples: ['models list', 'models add qwen2.5-0.5b-instruct', 'models remove whisper-base'],
  notes: [
    'add downloads a model of the list into the folder models of TOLLBOOK_DATA_DIR, verifies its SHA-256, tries it once',
    'and has it sold from the next start on; nothing else contacts its source. An interrupted download is continued by',
    'the same command. Of several models of a kind, the one added last is used. TOLLBOOK_MODELS_FILE,',
    'TOLLBOOK_WHISPER_FILE and TOLLBOOK_TRANSCRIPTION_URL come first. Translation models are used together.',
    'See docs/models.md.',
  ],
  exitCodes: { 1: 'not installed' },
  options: {
    from: {
      type: 'string',
      value: 'url',
      help: 'download the same file from here, such as a mirror, or the same files from this folder; for add',
    },
    json: { type: 'boolean', help: 'print JSON; for list' },
  },
  async run({ values, positionals }) {
    const [verb, name, ...surplus] = positionals
    const isList = verb === 'list' && name === undefined
    const isOther = (verb === 'add' || verb === 'remove') && name !== undefined
    if (!(isList || isOther) || surplus.length > 0)
      throw new UsageError('models needs list, add <name> or remove <name>')
    const from = values.from as string | undefined
    if (from !== undefined && !/^https?:$/.test(URL.parse(from)?.protocol ?? ''))
      throw new UsageError(`--from: not an http(s) URL: ${from}`)
    let output: string | null = null
    await runOnce(async (config, { signal }) => {
      if (verb === 'list') output = await renderModels(config, CATALOGUE, values.json === true)
      else if (verb === 'add') output = await addModel(findModel(name), { config, signal, from })
      else output = await removeModel(findModel(name), config)
    })
    process.stdout.write(output ?? `${name} is not installed\n`)
    return output === null ? 1 : 0
  },
}

function findModel(name: string | undefined): CatalogueModel {
  const found = CATALOGUE.find((one) => one.name === name)
  if (found) return found
  throw new UsageError(`no model ${name} (expected one of ${CATALOGUE.map((one) => one.name).join(', ')})`)
}

/** The catalogue with what is installed, as text or JSON. @throws ConfigError for an invalid record */
export async function renderModels(
  config: Config,
  catalogue: readonly CatalogueModel[],
  isJson: boolean,
): Promise<string> {
  const rows = await Promise.all(
    catalogue.map(async (model) => ({ model, status: await describeStatus(model, config) })),
  )
  if (!isJson) return rows.map(({ model, status }) => renderModel(model, status)).join('\n')
  const entries = rows.map(({ model, status }) => ({
    ...model,
    files: model.files.map(({ sizeBytes, ...file }) => ({ ...file, size_bytes: sizeBytes })),
    status,
  }))
  return `${JSON.stringify(entries, null, 2)}\n`
}

function renderModel(model: CatalogueModel, status: string): string {
  return [
    `${model.name.padEnd(22)} ${status}`,
    `  ${model.kind}: ${model.title}, ${toMegabytes(sizeOfModel(model))} MB, ${model.licence}`,
    ...model.files.flatMap(({ url, sha256 }) => [`  ${url}`, `  SHA-256 ${sha256}`]),
    '',
  ].join('\n')
}

async function describeStatus(model: CatalogueModel, config: Config): Promise<string> {
  const { name, kind } = model
  const files = model.files.map((one) => ({ ...one, path: resolve(modelsFolderOf(config), fileNameOf(one)) }))
  const installed = await readInstalledModels(config)
  if (installed.some((one) => one.name === name)) {
    for (const { path, sizeBytes } of files)
      if ((await sizeOf(path)) !== sizeBytes) return 'its file is missing or incomplete; add it again'
    const override = findOverride(config, kind)
    if (override) return `installed; ${override} is used instead`
    const isUsed = kind === 'translation' || (await findInstalledFile(config, kind)) === files[0]?.path
    return isUsed ? 'in use' : 'installed'
  }
  const sizes = await Promise.all(
    files.map(async ({ path }) => Math.max(await sizeOf(path), await sizeOf(partOf(path)))),
  )
  const size = sizes.reduce((sum, one) => sum + one, 0)
  return size > 0 ? `not installed; ${toMegabytes(size)} MB are downloaded` : 'not installed'
}

/**
 * Deletes a model that no running service uses. @returns text for the operator; null if it was not there
 * @throws PermanentError while a service uses the model, or another process changes the models
 */
export async function removeModel(model: CatalogueModel, config: Config): Promise<string | null> {
  const files = model.files.map((one) => join(modelsFolderOf(config), fileNameOf(one)))
  const [file = '', ...rest] = files
  const lock = lockFolder(config)
  try {
    const installed = await readInstalledModels(config)
    const others = installed.filter(({ name }) => name !== model.name)
    const paths = files.flatMap((one) => [one, partOf(one)])
    if (others.length === installed.length && !paths.some((path) => existsSync(path))) return null
    const lockOfFile = lockFile(file)
    if (!lockOfFile)
      throw new PermanentError(
        `a running service uses ${model.name}; nothing was deleted. Stop the service, and repeat the command`,
      )
    await writeInstalledModels(config, others)
    for (const path of [...rest, ...files.map(partOf)]) rmSync(path, { force: true })
    deleteLocked(file, lockOfFile)
    const next = model.kind === 'translation' ? null : await findInstalledFile(config, model.kind)
    return `${model.name} is deleted${next ? `; ${next} is used from the next start on` : ''}\n`
  } finally {
    lock.close()
  }
}
