import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { partOf, sizeOf } from '../../fetching/download-file.ts'
import {
  findInstalledFile,
  findOverride,
  modelsFolderOf,
  readInstalledModels,
} from '../setup/installed-models.ts'
import { type CatalogueModel, fileNameOf, sizeOfModel, toMegabytes } from './model-catalogue.ts'

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
