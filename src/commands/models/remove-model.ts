import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { partOf } from '../../fetching/download-file.ts'
import { PermanentError } from '../../fetching/failure.ts'
import {
  findInstalledFile,
  modelsFolderOf,
  readInstalledModels,
  writeInstalledModels,
} from '../setup/installed-models.ts'
import { deleteLocked, lockFile } from '../setup/model-locks.ts'
import { lockFolder } from './add-model.ts'
import { type CatalogueModel, fileNameOf } from './model-catalogue.ts'

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
