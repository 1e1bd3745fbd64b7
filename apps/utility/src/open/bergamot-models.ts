import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  type InstalledModel,
  type ModelSettings,
  modelsFolderOf,
  readInstalledModels,
} from '@tollbook/models/files/installed-models'
import type { BergamotModel } from '../translate/bergamot/orders.ts'

/** The installed translation models whose files are there. */
export async function findTranslationModels(config: ModelSettings): Promise<readonly BergamotModel[]> {
  const installed = await readInstalledModels(config)
  const models = installed.filter(({ kind }) => kind === 'translation').map((one) => toBergamot(one, config))
  return models.filter((one) => [one.model, one.shortlist, one.vocabulary].every((file) => existsSync(file)))
}

/** A translation model, whose name ends with its languages. */
export function toBergamot({ name, file, others }: InstalledModel, config: ModelSettings): BergamotModel {
  const [source = '', target = ''] = name.split('-').slice(-2)
  const [model, shortlist = '', vocabulary = ''] = [file, ...others].map((one) =>
    resolve(modelsFolderOf(config), one),
  )
  return { source, target, model: model ?? '', shortlist, vocabulary }
}
