import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { partOf, sizeOf } from '../../fetching/download-file.ts'
import {
  findInstalledFile,
  findOverride,
  modelsFolderOf,
  readInstalledModels,
} from '../setup/installed-models.ts'
import { type CatalogueModel, fileNameOf, toMegabytes } from './model-catalogue.ts'

/**
 * The catalogue with what is installed, as text or JSON.
 * @throws ConfigError if the record of installed models is invalid
 */
export async function renderModels(
  config: Config,
  catalogue: readonly CatalogueModel[],
  isJson: boolean,
): Promise<string> {
  const rows = await Promise.all(
    catalogue.map(async (model) => ({ model, status: await describeStatus(model, config) })),
  )
  if (!isJson) return rows.map(({ model, status }) => renderModel(model, status)).join('\n')
  const entries = rows.map(({ model: { sizeBytes, ...model }, status }) => ({
    ...model,
    size_bytes: sizeBytes,
    status,
  }))
  return `${JSON.stringify(entries, null, 2)}\n`
}

function renderModel(model: CatalogueModel, status: string): string {
  return [
    `${model.name.padEnd(22)} ${status}`,
    `  ${model.kind}: ${model.title}, ${toMegabytes(model.sizeBytes)} MB, ${model.licence}`,
    `  ${model.url}`,
    `  SHA-256 ${model.sha256}`,
    '',
  ].join('\n')
}

async function describeStatus(model: CatalogueModel, config: Config): Promise<string> {
  const file = resolve(modelsFolderOf(config), fileNameOf(model))
  const installed = await readInstalledModels(config)
  if (installed.some(({ name }) => name === model.name)) {
    if ((await sizeOf(file)) !== model.sizeBytes) return 'its file is missing or incomplete; add it again'
    const override = findOverride(config, model.kind)
    if (override) return `installed; ${override} is used instead`
    return (await findInstalledFile(config, model.kind)) === file ? 'in use' : 'installed'
  }
  const size = Math.max(await sizeOf(file), await sizeOf(partOf(file)))
  return size > 0 ? `not installed; ${toMegabytes(size)} MB are downloaded` : 'not installed'
}
